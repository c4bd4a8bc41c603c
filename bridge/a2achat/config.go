package a2achat

import (
	"time"
)

// AgentConfig is one agent of the configuration file. The keys are those of a2a-bridge,
// which mean the same here, and some of ours. The zero value of a key that is not
// required chooses its default.
type AgentConfig struct {
	ID      string `yaml:"id"`       // the name of the model; required, and unique
	CardURL string `yaml:"card_url"` // the agent, its card, or its endpoint; required unless endpoint_url is there
	// EndpointURL is used in place of the URL on the card.
	EndpointURL string `yaml:"endpoint_url"`
	// ConversationIDHeader names the header that holds the client's id of the
	// conversation; "" means ConversationHeader.
	ConversationIDHeader string `yaml:"conversation_id_header"`
	// MessageIDHeader names the header that holds the client's id of the message, which
	// is recorded and does nothing else; "" means that there is none.
	MessageIDHeader string            `yaml:"message_id_header"`
	Caller          *CallerConfig     `yaml:"caller"`
	StaticHeaders   map[string]string `yaml:"static_headers"` // sent with every call
	ArtifactJoin    *string           `yaml:"artifact_join"`  // between two artifacts; nil means "\n\n"
	OnError         OnError           `yaml:"on_error"`
	StreamMode      StreamMode        `yaml:"stream_mode"`
	ShowProgress    *bool             `yaml:"show_progress"`   // show working notes; nil means true
	ProgressPrefix  *string           `yaml:"progress_prefix"` // before a note; nil means "_"
	ProgressSuffix  *string           `yaml:"progress_suffix"` // after it; nil means "_"
	TimeoutS        *float64          `yaml:"timeout_s"`       // how long the agent may be silent, in seconds; nil means 120

	// StaticHeadersEnv are further headers, each with the name of the environment
	// variable that holds its value: the place for credentials.
	StaticHeadersEnv map[string]string `yaml:"static_headers_env"`
	// TotalS bounds a whole turn, in seconds; nil means ten times timeout_s.
	TotalS *float64 `yaml:"total_s"`
	// TaskHeader names the header in which the client says that nobody asks, but itself:
	// for a title, for tags. A request in which it is not empty is refused, since it would
	// be a turn of the conversation to the agent; "" means that there is none.
	TaskHeader string `yaml:"task_header"`
	// UserIsConversation tells whether the member user of a request names the
	// conversation where nothing else does; nil means true. All chats of a user are one
	// conversation then.
	UserIsConversation *bool `yaml:"user_is_conversation"`
}

// CallerConfig says how the agent is told who asks.
type CallerConfig struct {
	// IDHeader is read from the request and sent to the agent unchanged; required.
	IDHeader string `yaml:"id_header"`
	// AuthHeader holds the signature of the id; required.
	AuthHeader string `yaml:"auth_header"`
	// SecretEnv names the environment variable with the key of the signature; required.
	SecretEnv string `yaml:"secret_env"`
	// DigestBytes is how much of the signature is sent, in bytes of two hex digits
	// each; nil means 8.
	DigestBytes *int `yaml:"digest_bytes"`
	// TimestampHeader, where it is there, holds the time of the call in seconds since
	// 1970, and the signature is that of id, "." and time, and is never cut.
	TimestampHeader string `yaml:"timestamp_header"`
}

// OnError says how a failure of the agent is told.
type OnError string

// The ways to tell a failure.
const (
	Message   OnError = "message"    // as a sentence in the chat; the default
	HTTPError OnError = "http_error" // as an HTTP status and the envelope
)

// StreamMode says how the agent is called.
type StreamMode string

// The ways to call an agent. The client may stream either way.
const (
	Auto     StreamMode = "auto"     // with a stream where its card says that it has one; the default
	Blocking StreamMode = "blocking" // without
)

// The defaults of AgentConfig.
const (
	ConversationHeader  = "X-Conversation-Id" // also of each answer
	DefaultArtifactJoin = "\n\n"
	DefaultProgressWrap = "_" // which is italics in Markdown
	DefaultTimeout      = 120 * time.Second
	DefaultDigestBytes  = 8
)

// or returns what a key says, and the default where it is not there.
func or[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

// timeout returns how long the agent may be silent.
func (c AgentConfig) timeout() time.Duration {
	if c.TimeoutS == nil {
		return DefaultTimeout
	}
	return seconds(*c.TimeoutS)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
