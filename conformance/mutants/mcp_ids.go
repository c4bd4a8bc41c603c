package mutants

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// mcpIDs are servers that do not keep the ids of requests.
func mcpIDs() []Mutant {
	return []Mutant{
		{
			ID: "ids-become-numbers", Doc: "an id that is a string of digits comes back as a number",
			Kills: []string{"mcp.idempotency.string-id", "mcp.idempotency.answers-known-ids"}, Revision: mcp.Rev2607,
			Swap: reidentified(func(id wire.ID) wire.ID {
				text, _ := wire.Text([]byte(id.String()))
				if n, err := strconv.ParseInt(text, 10, 64); err == nil {
					return wire.IntID(n)
				}
				return id
			}),
		},
		{
			ID: "ids-become-strings", Doc: "an id that is a number beyond six digits comes back as a string",
			Kills: []string{"mcp.idempotency.big-id"}, Revision: mcp.Rev2607, Stdio: true,
			Swap: reidentified(func(id wire.ID) wire.ID {
				if id.IsNumber() && len(id.String()) > 9 {
					return wire.StringID(id.String())
				}
				return id
			}),
		},
		{
			ID: "ids-are-floating", Doc: "an id that is a number passes through a float64",
			Kills: []string{"mcp.idempotency.big-id"}, Revision: mcp.Rev2511,
			Swap: reidentified(func(id wire.ID) wire.ID {
				if f, err := strconv.ParseFloat(id.String(), 64); err == nil {
					return wire.IntID(int64(f))
				}
				return id
			}),
		},
		{
			ID: "ids-are-cut", Doc: "an id is cut after 255 bytes",
			Kills: []string{"mcp.idempotency.long-id", "mcp.idempotency.answers-known-ids"}, Revision: mcp.Rev2511,
			Swap: reidentified(func(id wire.ID) wire.ID {
				if text, ok := wire.Text([]byte(id.String())); ok && len(text) > 255 {
					return wire.StringID(strings.ToValidUTF8(text[:255], ""))
				}
				return id
			}),
		},
		{
			ID: "id-zero-is-none", Doc: "a request with the id 0 is taken for a notification",
			Kills: []string{"mcp.idempotency.zero-id"}, Revision: mcp.Rev2511, Hear: withoutID("0"),
		},
		{
			ID: "empty-id-is-none", Doc: "a request with the id \"\" is taken for a notification",
			Kills: []string{"mcp.idempotency.empty-id"}, Revision: mcp.Rev2511, Stdio: true, Hear: withoutID(`""`),
		},
		{
			ID: "null-id-is-none", Doc: "a request with the id null is taken for a notification",
			Kills: []string{"mcp.idempotency.null-id"}, Revision: mcp.Rev2607, Hear: withoutID("null"),
		},
		{
			ID: "ids-once-only", Doc: "an id that was used before on the connection is refused, in 2026-07-28",
			Kills: []string{"mcp.idempotency.id-used-again"}, Revision: mcp.Rev2607, Stdio: true,
			Pipe: perConnection(func() (Hear, Swap) {
				seen := map[string]bool{}
				return nil, func(request, m wire.Message) [][]byte {
					if request.Method == "" || !m.IsResponse() || !seen[m.ID.String()] {
						seen[m.ID.String()] = true
						return keep(m)
					}
					return [][]byte{wire.Failure(m.ID, invalidRequest, "the id was used before", nil)}
				}
			}),
		},
	}
}

// reidentified makes a Swap that changes the ids of responses.
func reidentified(edit func(wire.ID) wire.ID) Swap {
	return func(_, m wire.Message) [][]byte {
		switch other := edit(m.ID); {
		case !m.IsResponse() || other == m.ID:
			return keep(m)
		case m.Kind == wire.KindError:
			return [][]byte{wire.Failure(other, m.Error.Code, m.Error.Message, m.Error.Data)}
		default:
			return [][]byte{wire.Result(other, m.Result)}
		}
	}
}

// withoutID makes a Hear that takes a request with the id for a notification.
func withoutID(id string) Hear {
	return func(m wire.Message) ([]byte, []byte) {
		if m.ID.String() != id || m.Method == "" {
			return m.Raw, nil
		}
		return wire.Notification(m.Method, bytes.Clone(m.Params)), nil
	}
}
