package redact

import "bytes"

// kind says how a secret is written, and so how much of a value must go.
type kind int

const (
	whole     kind = iota // all of it
	auth                  // an authentication scheme may stand before it, and is kept
	cookie                // name=value pairs, the names are kept
	setCookie             // one name=value pair and attributes, which are kept
)

// rule is what a name says of the value under it. The zero rule says that it is no secret.
type rule struct {
	name string
	kind kind
}

// secretNames are the ends of names, in words, under which a secret stands. The longest end decides;
// one without a rule is an exception. A name that merely has such a word in it (max_tokens, token_type,
// tokenUrl, authorization_endpoint) says nothing of a secret.
var secretNames = map[string]rule{
	"authorization":       {"authorization", auth},
	"proxy authorization": {"proxy_authorization", auth},
	"bearer":              {"bearer", auth},
	"cookie":              {"cookie", cookie},
	"cookies":             {"cookie", cookie},
	"set cookie":          {"set_cookie", setCookie},

	"api key":          {"api_key", whole},
	"api keys":         {"api_key", whole},
	"apikey":           {"api_key", whole},
	"apikeys":          {"api_key", whole},
	"subscription key": {"api_key", whole},
	"access key":       {"access_key", whole},
	"accesskey":        {"access_key", whole},
	"account key":      {"access_key", whole},
	"private key":      {"private_key", whole},
	"privatekey":       {"private_key", whole},
	"secret key":       {"secret_key", whole},
	"secretkey":        {"secret_key", whole},
	"signing key":      {"signing_key", whole},
	"encryption key":   {"encryption_key", whole},

	"secret":           {"secret", whole},
	"secrets":          {"secret", whole},
	"secret value":     {"secret", whole},
	"client secret":    {"client_secret", whole},
	"clientsecret":     {"client_secret", whole},
	"client assertion": {"client_assertion", whole},
	"code verifier":    {"code_verifier", whole},
	"credential":       {"credential", auth},
	"credentials":      {"credential", auth},

	"password":      {"password", whole},
	"passwords":     {"password", whole},
	"password hash": {"password", whole},
	"passwd":        {"password", whole},
	"pwd":           {"password", whole},
	"passphrase":    {"passphrase", whole},
	"passcode":      {"passcode", whole},

	"token":          {"token", auth},
	"access token":   {"access_token", auth},
	"access tokens":  {"access_token", auth},
	"accesstoken":    {"access_token", auth},
	"refresh token":  {"refresh_token", auth},
	"refresh tokens": {"refresh_token", auth},
	"refreshtoken":   {"refresh_token", auth},
	"id token":       {"id_token", auth},
	"id tokens":      {"id_token", auth},
	"idtoken":        {"id_token", auth},
	"auth token":     {"auth_token", auth},
	"auth tokens":    {"auth_token", auth},
	"authtoken":      {"auth_token", auth},
	"session token":  {"session_token", auth},
	"session tokens": {"session_token", auth},
	"sessiontoken":   {"session_token", auth},
	"bearer token":   {"bearer", auth},
	"bearer tokens":  {"bearer", auth},
	"bearertoken":    {"bearer", auth},
	"api token":      {"api_token", auth},
	"api tokens":     {"api_token", auth},
	"apitoken":       {"api_token", auth},

	// What the protocols, and language models, call a token.
	"progress token":     {},
	"page token":         {},
	"next token":         {},
	"sync token":         {},
	"continuation token": {},
	"cancel token":       {},
	"cancellation token": {},
	"max token":          {},
	"per token":          {},
	"first token":        {},
	"last token":         {},
	"start token":        {},
	"stop token":         {},
	"bos token":          {},
	"eos token":          {},
	"pad token":          {},
	"unk token":          {},
	"mask token":         {},
}

// secretParameters are secrets in the query of an address only: elsewhere a signature is public.
var secretParameters = map[string]rule{
	"sig":       {"signature", whole},
	"signature": {"signature", whole},
}

// maxNameWords is the number of words in the longest end that the tables hold.
const maxNameWords = 2

// ruleFor returns the rule for a name in camelCase, snake_case, kebab-case or words, and whether the
// value under it is a secret.
func ruleFor(name []byte, tables ...map[string]rule) (rule, bool) {
	var buf [maxNameLength * 2]byte
	words := splitWords(buf[:0], name)
	for n := maxNameWords; n > 0; n-- {
		end := lastWords(words, n)
		for _, table := range tables {
			if r, ok := table[string(end)]; ok {
				return r, r.name != ""
			}
		}
	}
	return rule{}, false
}

// maxNameLength is how much of the end of a name is looked at, in bytes.
const maxNameLength = 64

// splitWords appends the words of a name to buf, in lower case, with a space between. A number at the
// end (password2, password_2) is left out, unless it is a word of text (Bearer 12).
func splitWords(buf, name []byte) []byte {
	if len(name) > maxNameLength {
		name = name[len(name)-maxNameLength:]
	}
	if stem := bytes.TrimRight(name, "0123456789"); !bytes.HasSuffix(stem, []byte(" ")) {
		name = stem
	}
	for i, c := range name {
		if !isAlnum(c) {
			continue
		}
		if len(buf) > 0 && wordBegins(name, i) {
			buf = append(buf, ' ')
		}
		if isUpper(c) {
			c += 'a' - 'A'
		}
		buf = append(buf, c)
	}
	return buf
}

// wordBegins reports whether a new word begins at i: after a separator, at a capital after a small
// letter (apiKey), at the last capital of several before a small letter (APIKey), or where letters and
// digits meet.
func wordBegins(name []byte, i int) bool {
	c, before := name[i], name[i-1]
	switch {
	case !isAlnum(before):
		return true
	case isDigit(c) != isDigit(before):
		return true
	case isUpper(c) && isLower(before):
		return true
	}
	return isUpper(c) && isUpper(before) && i+1 < len(name) && isLower(name[i+1])
}

// lastWords returns the last n words, or all if there are fewer.
func lastWords(words []byte, n int) []byte {
	rest := words
	for ; n > 0; n-- {
		i := bytes.LastIndexByte(rest, ' ')
		if i < 0 {
			return words
		}
		rest = rest[:i]
	}
	return words[len(rest)+1:]
}
