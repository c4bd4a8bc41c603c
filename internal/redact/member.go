package redact

// schemaKeywords are the members of a JSON Schema (draft 2020-12) that describe a value and hold none.
// Under a secret name they are kept, so that the schema of a password stays one; default, const,
// examples and whatever else may hold a value are not among them.
var schemaKeywords = map[string]bool{
	"type": true, "title": true, "description": true, "format": true, "pattern": true, "required": true,
	"enum": true, "$ref": true, "$dynamicRef": true, "$schema": true, "$id": true, "$anchor": true,
	"$dynamicAnchor": true, "$comment": true, "contentEncoding": true, "contentMediaType": true,
	"minLength": true, "maxLength": true, "minimum": true, "maximum": true, "exclusiveMinimum": true,
	"exclusiveMaximum": true, "multipleOf": true, "minItems": true, "maxItems": true, "minContains": true,
	"maxContains": true, "minProperties": true, "maxProperties": true,
}

// schemeMembers are the members that describe how to authenticate: in an A2A agent card, and in
// OpenAPI, from which it has them. Names inside are those of schemes and flows (password,
// clientCredentials), and what stands under them is a description.
// The value is what opens it: {"security": {"password": …}} is some configuration.
var schemeMembers = map[string]byte{
	"securitySchemes": '{', "security_schemes": '{', "flows": '{',
	"security": '[', "securityRequirements": '[', "security_requirements": '[',
}

// member returns the place of the value ahead, under name, in the object that began at start and
// stands at p.
func (w *walker) member(p place, name []byte, start int) place {
	composite := w.in[w.at] == '{' || w.in[w.at] == '['
	schemes := p.schemes || schemeMembers[string(name)] == w.in[w.at]
	found, secret := ruleFor(name, secretNames)
	switch {
	case secret && !(schemes && composite):
		return place{secret: found, schemes: schemes}
	case p.secret.name != "" && !schemaKeywords[string(name)]:
		return place{secret: p.secret, schemes: schemes}
	case string(name) == "value" && !composite:
		return place{secret: w.sibling(start), schemes: schemes}
	}
	return place{schemes: schemes}
}

// maxSiblingSearch is how far into an object a name is looked for, in bytes.
const maxSiblingSearch = 1 << 10

// sibling returns the rule of the name that stands beside a value, as in the headers of an HTTP archive:
// {"name": "Authorization", "value": "…"}.
func (w *walker) sibling(start int) rule {
	ahead := walker{in: w.in, at: start + 1}
	for ahead.space(); ahead.in[ahead.at] != '}' && ahead.at-start < maxSiblingSearch; ahead.space() {
		name := ahead.token()
		ahead.space()
		ahead.at++ // the colon
		ahead.space()
		if (string(name) == "name" || string(name) == "key") && ahead.in[ahead.at] == '"' {
			found, _ := ruleFor(ahead.token(), secretNames)
			return found
		}
		if !ahead.skip(start + maxSiblingSearch) {
			break
		}
		ahead.space()
		if ahead.in[ahead.at] == ',' {
			ahead.at++
		}
	}
	return rule{}
}

// skip passes a value, and reports whether that ended before the limit.
func (w *walker) skip(limit int) bool {
	for depth := 0; w.at < limit; {
		switch w.in[w.at] {
		case '"':
			w.token()
		case '{', '[':
			depth++
			w.at++
		case '}', ']':
			depth--
			w.at++
		case ',', ':', ' ', '\t', '\n', '\r':
			w.at++
			continue
		default:
			for w.at < len(w.in) && (isAlnum(w.in[w.at]) || w.in[w.at] == '-' || w.in[w.at] == '+' || w.in[w.at] == '.') {
				w.at++
			}
		}
		if depth == 0 {
			return true
		}
	}
	return false
}
