// Command quickstart is the server of docs/toolserver.md.
package main

import (
	"context"
	"log"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

type who struct {
	Name string `json:"name" jsonschema:"whom to greet"`
}

func greet(_ context.Context, in who) (string, error) { return "Hello, " + in.Name, nil }

func main() {
	s, err := toolserver.New("greeter", toolserver.Options{Audit: "audit.db"})
	if err != nil {
		log.Fatal(err)
	}
	toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "greet", Description: "Greets someone."}, greet)
	if err := s.Stdio(context.Background()); err != nil {
		log.Fatal(err)
	}
}
