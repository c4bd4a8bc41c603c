package a2achat

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// ConfigError says what is wrong with the configuration of an agent.
type ConfigError struct {
	Agent string // its id, or its index in the list where it has none
	Key   string // such as caller.secret_env; "" when it is about all of it
	What  string
}

func (e *ConfigError) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("agents[%s]: %s", e.Agent, e.What)
	}
	return fmt.Sprintf("agents[%s].%s: %s", e.Agent, e.Key, e.What)
}

// Validate tells everything that is wrong with the agents, as ConfigErrors in one. It
// changes nothing, and reads no environment.
func Validate(agents []AgentConfig) error {
	var all []error
	if len(agents) == 0 {
		all = append(all, errors.New("agents: there is none; name at least one, with id and card_url"))
	}
	seen := map[string]bool{}
	for i, c := range agents {
		v := validation{name: name(c, i)}
		v.agent(c)
		v.that(c.ID == "" || !seen[c.ID], "id", "another agent has this id already; each must have its own")
		seen[c.ID] = true
		all = append(all, v.errs...)
	}
	return errors.Join(all...)
}

// name is how messages call an agent.
func name(c AgentConfig, index int) string {
	if c.ID == "" {
		return strconv.Itoa(index)
	}
	return c.ID
}

// validation collects what is wrong with one agent.
type validation struct {
	name string
	errs []error
}

func (v *validation) that(ok bool, key, format string, args ...any) {
	if !ok {
		v.errs = append(v.errs, &ConfigError{Agent: v.name, Key: key, What: fmt.Sprintf(format, args...)})
	}
}

func (v *validation) agent(c AgentConfig) {
	v.that(c.ID != "", "id", "required: the name of the model by which clients choose the agent")
	v.that(c.ID == strings.TrimSpace(c.ID) && !strings.ContainsFunc(c.ID, isControl), "id", "must not begin or end with space, or hold control characters")
	v.that(c.CardURL != "" || c.EndpointURL != "", "card_url", "required: the URL of the agent, or of its card")
	v.address("card_url", c.CardURL)
	v.address("endpoint_url", c.EndpointURL)
	v.choice("on_error", string(c.OnError), string(Message), string(HTTPError))
	v.choice("stream_mode", string(c.StreamMode), string(Auto), string(Blocking))
	v.span("timeout_s", c.TimeoutS)
	v.span("total_s", c.TotalS)
	v.header("conversation_id_header", c.ConversationIDHeader)
	v.header("message_id_header", c.MessageIDHeader)
	v.header("task_header", c.TaskHeader)
	v.headers(c)
	if c.Caller != nil {
		v.caller(*c.Caller)
	}
}

func (v *validation) address(key, text string) {
	if text == "" {
		return
	}
	u, err := url.Parse(text)
	v.that(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "", key,
		"must be a URL that begins with http:// or https://")
}

func (v *validation) choice(key, got string, valid ...string) {
	v.that(got == "" || slices.Contains(valid, got), key, "%q is no choice; the choices are %s", got, strings.Join(valid, ", "))
}

// span checks a number of seconds. A year is no timeout, but a mistake.
func (v *validation) span(key string, s *float64) {
	const most = 365 * 24 * 3600
	v.that(s == nil || *s > 0 && *s <= most, key, "must be a number of seconds above 0")
}

func (v *validation) header(key, name string) {
	v.that(name == "" || isHeaderName(name), key, "%q is no name of an HTTP header", name)
}

// headers checks the headers that are sent, each of which is to be named once.
func (v *validation) headers(c AgentConfig) {
	named := map[string]bool{}
	for _, h := range slices.Sorted(maps.Keys(c.StaticHeaders)) {
		named[strings.ToLower(h)] = true
		v.that(isHeaderName(h), "static_headers", "%q is no name of an HTTP header", h)
		v.that(isHeaderValue(c.StaticHeaders[h]), "static_headers."+h, "is no value of an HTTP header")
	}
	for _, h := range slices.Sorted(maps.Keys(c.StaticHeadersEnv)) {
		v.that(isHeaderName(h), "static_headers_env", "%q is no name of an HTTP header", h)
		v.that(!named[strings.ToLower(h)], "static_headers_env."+h, "stands under static_headers too; name it once")
		v.that(c.StaticHeadersEnv[h] != "", "static_headers_env."+h, "must be the name of an environment variable")
	}
}

// caller checks that an id is never sent without a signature: whoever reaches the agent
// could claim any id then.
func (v *validation) caller(c CallerConfig) {
	v.that(c.IDHeader != "", "caller.id_header", "required: the header with the id of who asks")
	v.that(c.AuthHeader != "", "caller.auth_header", "required: the header for the signature, without which anybody could claim any id")
	v.that(c.SecretEnv != "", "caller.secret_env", "required: the name of the environment variable with the key of the signature")
	v.header("caller.id_header", c.IDHeader)
	v.header("caller.auth_header", c.AuthHeader)
	v.header("caller.timestamp_header", c.TimestampHeader)
	n := or(c.DigestBytes, DefaultDigestBytes)
	v.that(n >= 1 && n <= digestSize, "caller.digest_bytes", "must be from 1 to %d", digestSize)
	v.that(c.DigestBytes == nil || c.TimestampHeader == "" || n == digestSize, "caller.digest_bytes",
		"must not stand beside timestamp_header, whose signature is never cut")
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// isHeaderName tells whether the text is a token.
//
// https://www.rfc-editor.org/rfc/rfc9110#name-tokens
func isHeaderName(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// isHeaderValue tells whether the text can be sent in a header as it is.
func isHeaderValue(text string) bool {
	return text == strings.TrimSpace(text) && !strings.ContainsFunc(text, func(r rune) bool { return isControl(r) && r != '\t' })
}
