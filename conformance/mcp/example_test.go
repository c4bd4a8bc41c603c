package mcp_test

import (
	"net/http/httptest"
	"testing"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/mcp"
	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
)

// A server of your own takes the place of the built-in one.
func TestServer(t *testing.T) {
	srv := httptest.NewServer(mcppeer.New(mcppeer.Options{}).Handler())
	defer srv.Close()
	config, err := mcp.AtURL(srv.URL+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	conformance.Test(t, mcp.NewTarget(config), mcp.Suite())
}
