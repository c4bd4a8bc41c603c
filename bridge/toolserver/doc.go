// Package toolserver makes safe, audited MCP tools of Go functions.
//
//	s, err := toolserver.New("git-tools", toolserver.Options{Audit: "audit.db"})
//	…
//	toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "git_status"}, gitStatus)
//	err = s.Stdio(ctx)
//
// Each call goes through one pipeline, which knows of no transport (Server.Call): its
// arguments are validated against the schema that was made of the function's own types;
// its tier decides whether it is allowed; a destructive one is confirmed by a hook, and
// denied where there is none; it runs, bounded in time; and one row of the audit log
// says what became of it.
//
// Beside internal packages it imports no other part of the bridge.
package toolserver
