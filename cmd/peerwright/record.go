package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/recorder"
)

// recordCommand holds the flags of `record`.
type recordCommand struct {
	streams
	target   targetFlags
	output   string
	listen   string
	force    bool
	open     bool
	keepURLs bool
	notes    []string
}

func newRecord(s streams) *cobra.Command {
	c := &recordCommand{streams: s}
	cmd := &cobra.Command{
		Use:   "record --output FILE (--mcp URL | --a2a URL | -- command args…)",
		Short: "Stand between a client and a peer, and write what passes into a fixture",
		Long: `Stand between a client and a peer, and write what passes into a fixture.

A command is started in the place of this program: put "peerwright record --output
FILE --" before it in a client's configuration. In front of a URL a proxy listens;
point the client at the address that is printed, and end the recording with ^C.

Bytes pass unchanged and at once. What is a secret is taken out before anything
reaches the disk.`,
		Example: `  peerwright record --output everything.fixture.jsonl -- npx -y @modelcontextprotocol/server-everything stdio
  peerwright record --output server.fixture.jsonl --mcp http://127.0.0.1:8080/mcp --listen 127.0.0.1:9090
  peerwright record --output agent.fixture.jsonl --a2a http://127.0.0.1:9000`,
		Args: afterDash,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&c.output, "output", "o", "", "`file` to write the fixture to; its name ends in "+fixtures.Suffix)
	flags.BoolVar(&c.force, "force", false, "overwrite the file where it exists")
	flags.StringArrayVar(&c.notes, "note", nil, "`text` to keep in the header of the fixture; may be repeated")
	flags.StringVar(&c.target.spec.MCP, "mcp", "", "`URL` of the MCP server to stand before")
	flags.StringVar(&c.target.spec.A2A, "a2a", "", "`URL` of the A2A agent to stand before")
	flags.StringVar(&c.listen, "listen", "127.0.0.1:0", "`address` to listen on before a URL; port 0 takes a free one")
	flags.BoolVar(&c.open, "open", false, "listen on an address that other machines reach")
	flags.BoolVar(&c.keepURLs, "keep-urls", false, "leave the URLs in an agent card as they are, so that clients may go past the recorder")
	flags.StringArrayVar(&c.target.headers, "header", nil, "HTTP header `'Name: value'` to add to what the client sends; may be repeated")
	flags.StringArrayVar(&c.target.headerEnv, "header-env", nil, "HTTP header `Name=VARIABLE` to add, with its value from the environment; may be repeated")
	return cmd
}

func (c *recordCommand) run(ctx context.Context, command []string) error {
	if c.output == "" {
		return usage("name the file to write the fixture to with --output")
	}
	spec, err := c.target.resolve(command)
	if err != nil {
		return err
	}
	if spec == nil {
		spec = &peerSpec{}
	}
	protocol, err := spec.protocol()
	if err != nil {
		return usageError{err}
	}
	if len(command) > 0 {
		return c.wrap(ctx, command)
	}
	return c.stand(ctx, spec, protocol)
}

// begin creates the fixture. The caller closes the recorder.
func (c *recordCommand) begin(protocol, transportName string, secrets []string) (*recorder.Recorder, error) {
	w, err := fixtures.Create(c.output, fixtures.Header{
		Protocol: protocol, Transport: transportName, Recorded: fixtures.Recorded{At: time.Now().UTC().Truncate(time.Millisecond), By: "peerwright " + version}, Notes: c.notes,
	}, c.force)
	switch {
	case errors.Is(err, fixtures.ErrExists):
		return nil, usage("%v; --force overwrites it", err)
	case err != nil:
		return nil, usageError{err}
	}
	return recorder.New(w, recorder.Options{Secrets: secrets, Failed: func(err error) {
		_, _ = fmt.Fprintf(c.err, "peerwright: the fixture cannot be written, and the traffic goes on: %v\n", err)
	}})
}

// end closes the recorder, and says when the fixture does not hold everything.
func (c *recordCommand) end(r *recorder.Recorder, err error) error {
	err = errors.Join(err, r.Close())
	if n := r.Lost(); n > 0 {
		_, _ = fmt.Fprintf(c.err, "peerwright: %d frames are not in %s, or not whole: the disk did not keep up\n", n, c.output)
	}
	return err
}

// wrap runs a stdio server in the place of this program.
func (c *recordCommand) wrap(ctx context.Context, command []string) error {
	r, err := c.begin(conformance.MCP, "stdio", nil)
	if err != nil {
		return err
	}
	status, err := recorder.Stdio(ctx, command, c.in, c.out, c.err, r)
	if err := c.end(r, err); err != nil {
		return err
	}
	if status != 0 {
		return exitStatus(status)
	}
	return nil
}

// stand listens before a peer until the user has had enough.
func (c *recordCommand) stand(ctx context.Context, spec *peerSpec, protocol string) error {
	red, err := newRedactor()
	if err != nil {
		return err
	}
	header, err := spec.header(red)
	if err != nil {
		return err
	}
	upstream, err := url.Parse(spec.MCP + spec.A2A) // one of them is empty
	if err != nil || upstream.Host == "" || upstream.Scheme != "http" && upstream.Scheme != "https" {
		return usage("%q is no http or https URL", spec.MCP+spec.A2A)
	}
	secrets := redact.URLSecrets(upstream.String())
	for name := range header { // the user's own, whatever their names say
		secrets = append(secrets, redact.HeaderSecrets(name, header.Get(name))...)
	}
	l, err := recorder.Listen(ctx, c.listen, c.open)
	switch {
	case errors.Is(err, recorder.ErrOpen):
		return usage("%v; --open says that it is meant", err)
	case err != nil:
		return usageError{err}
	}
	r, err := c.begin(protocol, "http", secrets)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	c.tell(l, upstream, red.URL(upstream.String()))
	proxy := recorder.Proxy(upstream, r, recorder.ProxyOptions{KeepURLs: c.keepURLs, Header: header, Connect: transport.DefaultConnect})
	return c.end(r, recorder.Serve(ctx, l, proxy))
}

// tell says where to point the client.
func (c *recordCommand) tell(l net.Listener, upstream *url.URL, shown string) {
	here := url.URL{Scheme: "http", Host: l.Addr().String(), Path: upstream.Path, RawQuery: upstream.RawQuery}
	_, _ = fmt.Fprintf(c.err, "recording %s into %s; point the client at %s, and end with ^C\n", shown, c.output, here.Redacted())
}
