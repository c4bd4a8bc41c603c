// Package a2a holds the cases and monitors that judge A2A agents, and the way to
// reach one. A Target finds the agent card and chooses one interface; its Sessions
// are what the cases are given; Cases and Monitors list the rules, one file of them
// a specification area.
//
// The suite needs nothing of an agent but that it answers a harmless message. It
// sends few of them, lists each in Target.Calls, and judges by what comes back: the
// task that the first message made serves every case that needs one. A rule that
// nothing the agent gives can exercise is not-verified.
//
// It imports reporters, conformance and internal packages, never Ginkgo.
package a2a
