// Package mutants holds peers that each break one rule on purpose: the proof that
// the cases can fail. The built-in peers stand behind them, so that a mutant differs
// from a good peer in one thing.
//
// The test of this package puts every mutant through the whole suite and asks that
// exactly the cases it names find it, and that every case is named by at least one.
// docs/kill-matrix.md is written from that.
package mutants
