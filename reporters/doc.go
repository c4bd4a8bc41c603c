// Package reporters holds the report document peerwright.report/1 and its renderings.
//
// A [Report] says what was checked, on which peers, and what came of it. Whoever runs cases fills in
// peers, cases and calls; [Complete] works out every count and every verdict from them, and nobody
// else does. [Write] and [ReadReport] are the JSON form, [Validate] holds a document against the
// published schema, [Render] writes any known format.
//
// The package imports nothing of this module but internal packages: the parts that produce reports
// import it, never the other way round.
package reporters
