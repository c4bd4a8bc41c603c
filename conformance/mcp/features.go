package mcp

import "github.com/peerwright/peerwright/conformance"

// What a server may have. The words end the sentence "the peer has no …".
const (
	// Transports and what comes with them.
	HTTP     conformance.Feature = "HTTP transport"
	Stdio    conformance.Feature = "stdio transport"
	Sessions conformance.Feature = "HTTP session" // it handed out a session id

	// Capabilities, as declared.
	Tools       conformance.Feature = "tools"
	Resources   conformance.Feature = "resources"
	Prompts     conformance.Feature = "prompts"
	Completions conformance.Feature = "completions"
	Logging     conformance.Feature = "logging"
	Subscribe   conformance.Feature = "resource subscriptions"
	ListChanged conformance.Feature = "list-changed notifications"

	// What follows from them, and needs something of the kind to be there.
	AnyList        conformance.Feature = "lists"                         // one of tools, resources, prompts
	Pages          conformance.Feature = "lists of several pages"        // one of them gave a nextCursor
	ReadableTool   conformance.Feature = "tools that may be called"      // read-only, or allowed by name
	StructuredTool conformance.Feature = "tools with structured output"  // and may be called
	ArgumentTool   conformance.Feature = "tools with required arguments" // and may be called
	AnyResource    conformance.Feature = "resources to read"
	AnyTemplate    conformance.Feature = "resource templates"
	AnyPrompt      conformance.Feature = "prompts to get"
)
