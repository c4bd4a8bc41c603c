// Package harness runs cases as Ginkgo specs and turns what comes of them into a
// reporters.Peer. It is the only package that imports Ginkgo, and nothing of
// Ginkgo shows outside it.
//
// It surveys the peer, plans which cases apply, runs those one after another, each
// under its deadline, and then lets the monitors read everything that travelled.
package harness
