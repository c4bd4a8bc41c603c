package a2a

import (
	"context"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/reporters"
)

const versioning = spec10 + "#362-server-responsibilities"

// versionCases are about the A2A-Version header, which 1.0 introduced.
func versionCases() []conformance.Case {
	return []conformance.Case{unsupportedVersion(), missingVersion(), patchVersion()}
}

// getUnknown asks for a task that does not exist: a call that costs nothing and whose
// answer shows whether the request was processed.
func (s *Session) getUnknown(ctx context.Context, c *conformance.Check, version string) (a2ahttp.Reply, *a2ahttp.Fault) {
	return s.Send(ctx, c, a2ahttp.Request{
		Op: a2ahttp.GetTask, Params: encoded(object{"id": s.target.newID()}), Header: versionAs(version),
	})
}

func unsupportedVersion() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.unsupported-version", Title: "A protocol version that does not exist is answered with -32009",
			Area: conformance.Errors, Level: reporters.Must, Revisions: since10(), Core: true,
			Rule: rule("A request whose A2A-Version the interface does not support gets VersionNotSupportedError, and is not processed.", versioning),
			Fix:  "Compare the A2A-Version header with the versions you serve before anything else, and answer -32009 with the list of those.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			reply, fault := s.getUnknown(ctx, c, "99.0")
			s.refused(c, reply, fault, "a request with A2A-Version: 99.0", a2ahttp.CodeVersionNotSupported)
		}),
	}
}

func missingVersion() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.lifecycle.missing-version", Title: "A request without A2A-Version is taken as one of 0.3",
			Area: conformance.Lifecycle, Level: reporters.Must, Revisions: since10(), Needs: needs(JSONRPC), Core: true,
			Rule: rule("Without A2A-Version a request is one of 0.3: an agent that does not serve that version answers "+
				"VersionNotSupportedError, and one that does has no method of the 1.0 name.", versioning),
			Fix: "Treat a missing or empty A2A-Version header as 0.3 instead of as the newest version.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			reply, fault := s.getUnknown(ctx, c, "")
			s.refused(c, reply, fault, "a 1.0 method without A2A-Version", a2ahttp.CodeVersionNotSupported, codeMethodNotFound)
		}),
	}
}

func patchVersion() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.lifecycle.patch-version", Title: "A patch number in A2A-Version makes no difference",
			Area: conformance.Lifecycle, Level: reporters.Should, Revisions: since10(), Core: true,
			Rule: rule("Patch numbers are not considered when a version is negotiated, so 1.0.9 is served as 1.0. The header is also "+
				"said to be Major.Minor only, so that an agent which refuses it is warned, not failed.", spec10+"#36-versioning"),
			Fix: "Compare the first two numbers of A2A-Version only.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			_, plain := s.getUnknown(ctx, c, a2ahttp.V10)
			_, patched := s.getUnknown(ctx, c, "1.0.9")
			c.That(sameAnswer(plain, patched), "the answer to A2A-Version: 1.0, "+told(plain), "%s to 1.0.9", told(patched))
		}),
	}
}

// sameAnswer tells whether two calls were answered alike.
func sameAnswer(a, b *a2ahttp.Fault) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Code == b.Code && a.Reason == b.Reason && a.HTTPStatus == b.HTTPStatus
}

func told(f *a2ahttp.Fault) string {
	if f == nil {
		return "a result"
	}
	return f.Error()
}
