package redact

import "bytes"

// shape is a token that can be told by how it begins.
type shape struct {
	prefix string
	min    int  // characters after the prefix
	upper  bool // only capitals and digits follow
}

// tokenShapes are the tokens of well-known services, as their documentation shows them.
var tokenShapes = []shape{
	{"sk-", 16, false},         // OpenAI, Anthropic and others
	{"sk_live_", 10, false},    // Stripe
	{"sk_test_", 10, false},    // Stripe
	{"rk_live_", 10, false},    // Stripe
	{"ghp_", 20, false},        // GitHub, personal
	{"gho_", 20, false},        // GitHub, OAuth
	{"ghu_", 20, false},        // GitHub, app on behalf of a user
	{"ghs_", 20, false},        // GitHub, app
	{"ghr_", 20, false},        // GitHub, refresh
	{"github_pat_", 20, false}, // GitHub, fine-grained
	{"glpat-", 16, false},      // GitLab
	{"xoxa-", 10, false},       // Slack
	{"xoxb-", 10, false},       // Slack
	{"xoxp-", 10, false},       // Slack
	{"xoxr-", 10, false},       // Slack
	{"xoxs-", 10, false},       // Slack
	{"xapp-", 10, false},       // Slack
	{"AKIA", 16, true},         // Amazon Web Services
	{"ASIA", 16, true},         // Amazon Web Services, temporary
	{"AIza", 30, false},        // Google
	{"ya29.", 20, false},       // Google, OAuth
	{"npm_", 30, false},        // npm
	{"hf_", 20, false},         // Hugging Face
	{"pypi-", 40, false},       // PyPI
}

// minShape is the length of the shortest secret that has a shape of its own.
const minShape = 15

// shapes finds the secrets in b that can be told by their shape. They stand in long words only.
func (r *Redactor) shapes(b []byte) []span {
	var found []span
	for at := 0; at < len(b); at++ {
		from := at
		for at < len(b) && isWordByte[b[at]] {
			at++
		}
		if at-from >= minShape {
			found = append(found, wordShapes(b, from, at)...)
		}
	}
	return found
}

// wordShapes finds the secrets in the word that stands between from and to.
func wordShapes(b []byte, from, to int) []span {
	var found []span
	for _, s := range tokenShapes {
		each(b[from:to], s.prefix, func(at int) int {
			begin := from + at
			end := begin + len(s.prefix)
			for end < to && s.has(b[end]) {
				end++
			}
			if end-begin-len(s.prefix) >= s.min && standsAlone(b, begin) {
				found = append(found, span{from: begin, to: end, name: "token", secret: b[begin:end]})
			}
			return end - from
		})
	}
	return append(found, webTokens(b, from, to)...)
}

func (s shape) has(c byte) bool {
	return isUpper(c) || isDigit(c) || !s.upper && (isLower(c) || c == '_' || c == '-')
}

// webTokens finds JSON Web Tokens (RFC 7519 §3): three parts in base64, of which the first is an object.
// A word ends where one does.
func webTokens(b []byte, from, to int) []span {
	var found []span
	each(b[from:to], "eyJ", func(at int) int {
		begin := from + at
		if bytes.Count(b[begin:to], []byte(".")) < 2 || to-begin < minShape || !standsAlone(b, begin) {
			return at + len("eyJ")
		}
		found = append(found, span{from: begin, to: to, name: "jwt", secret: b[begin:to]})
		return to - from
	})
	return found
}

// privateKeys finds private keys in the PEM form (RFC 7468), up to the end of the text where one is
// cut off.
func privateKeys(b []byte) []span {
	const begin, label, end, dashes = "-----BEGIN ", "PRIVATE KEY", "-----END ", "-----"
	var found []span
	each(b, begin, func(at int) int {
		first := at + len(begin)
		n := bytes.Index(b[first:], []byte(dashes))
		if n < 0 || !bytes.Contains(b[first:first+n], []byte(label)) {
			return first
		}
		to := len(b)
		if last := bytes.Index(b[first:], []byte(end)); last >= 0 {
			to = first + last + len(end)
			if n := bytes.Index(b[to:], []byte(dashes)); n >= 0 {
				to += n + len(dashes)
			}
		}
		found = append(found, span{from: at, to: to, name: "private_key", secret: b[at:to]})
		return to
	})
	return found
}

// each calls visit with every place where text begins in b. It goes on where visit says.
func each(b []byte, text string, visit func(at int) int) {
	for at := 0; at < len(b); {
		i := bytes.Index(b[at:], []byte(text))
		if i < 0 {
			return
		}
		at = max(visit(at+i), at+i+1)
	}
}

// standsAlone reports whether no word goes on at that place: task-… is not a secret key. The letter of
// an escape (\n in JSON, %20 in an address) is no part of a word.
func standsAlone(b []byte, at int) bool {
	return at == 0 || !isAlnum(b[at-1]) ||
		at >= 2 && b[at-2] == '\\' || at >= 3 && b[at-3] == '%' ||
		at >= 6 && b[at-6] == '\\' && b[at-5] == 'u'
}
