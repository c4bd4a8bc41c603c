// Package live holds the tests of the bridge as its users have it: the program in a process
// of its own, in front of servers and agents that others wrote, called by the official
// clients. There is nothing in it but tests.
package live
