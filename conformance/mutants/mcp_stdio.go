package mutants

import (
	"context"
	"io"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// mcpStdio are servers that treat their stdin wrongly.
func mcpStdio() []Mutant {
	return []Mutant{
		{
			ID: "long-line-ends-the-server", Doc: "a line of more than 64 KiB ends the server",
			Kills: []string{"mcp.framing.long-line"}, Revision: mcp.Rev2511, Stdio: true,
			Pipe: endsAt(func(m wire.Message) bool { return len(m.Raw) > 64<<10 }),
		},
		{
			ID: "end-of-stdin-unheard", Doc: "the server lives on when its stdin is closed",
			Kills: []string{"mcp.framing.exits-on-eof"}, Revision: mcp.Rev2511, Stdio: true,
			Pipe: func(next Serve) Serve {
				return func(ctx context.Context, r io.Reader, w io.Writer) error {
					err := next(ctx, r, w)
					<-ctx.Done()
					return err
				}
			},
		},
		{
			ID: "batch-served-on-a-stream", Doc: "a batch is served in 2026-07-28",
			Kills: []string{"mcp.framing.batch-refused"}, Revision: mcp.Rev2607, Stdio: true,
			Pipe: unbatched,
		},
	}
}

// unbatched takes batches apart before the server reads them.
func unbatched(next Serve) Serve {
	return func(ctx context.Context, r io.Reader, w io.Writer) error {
		apart, in := io.Pipe()
		go func() {
			lines, to := wire.NewLineReader(r, 0), wire.NewLineWriter(in)
			for {
				line, err := lines.Next()
				if err != nil {
					in.CloseWithError(err)
					return
				}
				m := wire.Parse(line.Content())
				if m.Kind != wire.KindBatch {
					m.Batch = []wire.Message{m}
				}
				for _, one := range m.Batch {
					if to.Write(one.Raw) != nil {
						return
					}
				}
			}
		}()
		return next(ctx, apart, w)
	}
}
