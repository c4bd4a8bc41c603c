package chat

import "github.com/peerwright/peerwright/conformance"

// V1 is the one revision of the protocol, as it stands in the paths.
const V1 = "v1"

// What a peer may have. The words end the sentence "the peer has no …".
const (
	Models      conformance.Feature = "model list"
	Completions conformance.Feature = "completions"

	// Contract is the canonical contract of the bridge; what follows needs it.
	Contract     conformance.Feature = "canonical contract"
	Tools        conformance.Feature = "tools"
	CallableTool conformance.Feature = "callable tool" // that only reads, or is allowed
	SchemaTool   conformance.Feature = "callable tool with arguments to get wrong"
	OtherTool    conformance.Feature = "callable tool with arguments to vary"
	OnlyTools    conformance.Feature = "tools without a model behind them"
	Agents       conformance.Feature = "agents"
	OnlyAgents   conformance.Feature = "agents without tools beside them"
)
