// Package a2ahttp dials A2A agents over the two HTTP bindings, JSON-RPC and
// HTTP+JSON, in the protocol versions 0.2, 0.3 and 1.0.
//
// Discover finds the agent card, Card.Pick chooses an interface of it, and a Client
// makes calls there. Params and results are JSON as it travels: the package knows
// what each version and binding call an operation, and translates no object. So
// params have the names that the JSON-RPC binding of the version gives them, and a
// 1.0 task stays a 1.0 task.
//
// It imports transport and wire and nothing else of this module.
package a2ahttp
