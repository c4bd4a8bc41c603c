package redact

import (
	"strings"
	"testing"
)

func TestJSON(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"member":      {`{"password":"x"}`, `{"password":"«password»"}`},
		"deep":        {`{"a":[{"b":{"apiKey":"x"}}]}`, `{"a":[{"b":{"apiKey":"«api_key»"}}]}`},
		"scheme kept": {`{"authorization":"Bearer x"}`, `{"authorization":"Bearer «authorization»"}`},
		"array":       {`{"secrets":["x","y",1,true,null]}`, `{"secrets":["«secret»","«secret»","«secret»",true,null]}`},
		"object":      {`{"credentials":{"user":"u","pin":12}}`, `{"credentials":{"user":"«credential»","pin":"«credential»"}}`},
		"own name":    {`{"secret":{"password":"x"}}`, `{"secret":{"password":"«password»"}}`},
		"number":      {`{"token":-1.5e3}`, `{"token":"«token»"}`},
		"not a value": {`{"token":null,"secret":false,"password":""}`, `{"token":null,"secret":false,"password":""}`},
		"usage":       {`{"max_tokens":5,"usage":{"total_tokens":7}}`, `{"max_tokens":5,"usage":{"total_tokens":7}}`},
		"protocol": {
			`{"_meta":{"progressToken":"p1"},"cursor":"c","nextPageToken":"n","token_type":"Bearer"}`,
			`{"_meta":{"progressToken":"p1"},"cursor":"c","nextPageToken":"n","token_type":"Bearer"}`,
		},
		"bytes kept": {
			` { "b" : 1.0 , "a":9007199254740993,"a":"\u00e9\/", "token" :  "x" , "z":[ ] } ` + "\n",
			` { "b" : 1.0 , "a":9007199254740993,"a":"\u00e9\/", "token" :  "«token»" , "z":[ ] } ` + "\n",
		},
		"escaped name":   {`{"pass\u0077ord":"x"}`, `{"pass\u0077ord":"«password»"}`},
		"escaped value":  {`{"a":"\u0070assword=x\n\"é\ud800"}`, `{"a":"password=«password»\n\"é\ud800"}`},
		"JSON in string": {`{"a":"{\"token\":\"x\",\"b\":\"\\u00e9\"}"}`, `{"a":"{\"token\":\"«token»\",\"b\":\"\\u00e9\"}"}`},
		"JSON in JSON in string": {
			`{"a":"{\"b\":\"{\\\"token\\\":\\\"x\\\"}\"}"}`,
			`{"a":"{\"b\":\"{\\\"token\\\":\\\"«token»\\\"}\"}"}`,
		},
		"a string in a string": {`["\"password=x\""]`, `["\"password=«password»\""]`},
		"text in string":       {`{"text":"use Bearer abcdef123 now"}`, `{"text":"use Bearer «bearer» now"}`},
		"name is a secret":     {`{"ghp_abcdefghijklmnopqrstuvwxyz":1}`, `{"«token»":1}`},
		"flags":                {`["--api-key","x","--verbose","y"]`, `["--api-key","«api_key»","--verbose","y"]`},
		"name and value":       {`[{"name":"Authorization","value":"Basic x"}]`, `[{"name":"Authorization","value":"Basic «authorization»"}]`},
		"value and name":       {`[{"value":"x","o":{"a":[1,"}"]},"key":"API_TOKEN"}]`, `[{"value":"«api_token»","o":{"a":[1,"}"]},"key":"API_TOKEN"}]`},
		"some other value":     {`[{"name":"city","value":"Bonn"}]`, `[{"name":"city","value":"Bonn"}]`},
		"cookies":              {`{"set-cookie":["a=b; Path=/; Secure"]}`, `{"set-cookie":["a=«set_cookie»; Path=/; Secure"]}`},
		"document is a string": {`"password=x"`, `"password=«password»"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := short(testRedactor().JSON([]byte(tt.in))); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestSchemasStaySchemas(t *testing.T) {
	same := []string{
		`{"properties":{"password":{"type":"string","minLength":8,"description":"Your password","pattern":"^a"}}}`,
		`{"properties":{"authorization":{"type":"object","properties":{"user":{"type":"string"}},"required":["user"]}}}`,
		`{"properties":{"token":{"anyOf":[{"type":"string","format":"uri"},{"type":"null"}]}},"required":["token"]}`,
		`{"properties":{"token":true,"secret":{}}}`,
		`{"securitySchemes":{"bearer":{"type":"http","scheme":"bearer","bearerFormat":"JWT"},"apiKey":{"type":"apiKey","in":"header","name":"X-API-Key"}}}`,
		`{"securitySchemes":{"o":{"flows":{"clientCredentials":{"tokenUrl":"https://a/b","scopes":{"read":"Reads"}},"password":{"tokenUrl":"https://a"}}}}}`,
		`{"security":[{"bearer":["read"]},{"apiKey":[]}],"securityRequirements":[{"schemes":{"bearer":{"list":["x"]}}}]}`,
	}
	for _, in := range same {
		if got := short(testRedactor().JSON([]byte(in))); got != in {
			t.Errorf("%s\nbecame %s", in, got)
		}
	}
	for in, want := range map[string]string{
		`{"properties":{"password":{"type":"string","default":"x","examples":["y"],"const":"z"}}}`: `{"properties":{"password":{"type":"string","default":"«password»","examples":["«password»"],"const":"«password»"}}}`,
		`{"properties":{"password":"x"}}`:                             `{"properties":{"password":"«password»"}}`,
		`{"security":{"credentials":{"login":"x"}}}`:                  `{"security":{"credentials":{"login":"«credential»"}}}`,
		`{"securitySchemes":{"x":{"password":"x"}}}`:                  `{"securitySchemes":{"x":{"password":"«password»"}}}`,
		`{"authentication":{"schemes":["Bearer"],"credentials":"x"}}`: `{"authentication":{"schemes":["Bearer"],"credentials":"«credential»"}}`,
	} {
		if got := short(testRedactor().JSON([]byte(in))); got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", in, got, want)
		}
	}
}

func TestBrokenJSONIsText(t *testing.T) {
	for in, want := range map[string]string{
		`{"password":"x","b":`:                     `{"password":"«password»","b":`,
		`{"a":1} {"token": "x"}`:                   `{"a":1} {"token": "«token»"}`,
		`{"secret":["x","y"],`:                     `{"secret":["«secret»","«secret»"],`,
		`log: {"credentials": {"a":"x"}, "b":"y"}`: `log: {"credentials": {"a":"«credential»"}, "b":"y"}`,
		`{"credentials":{"a":"x","b":"y`:           `{"credentials":«credential»`,
		`{"password":"x`:                           `{"password":"«password»`,
		`{\"password\":\"x\",\"n\":\"y\"}`:         `{\"password\":\"«password»\",\"n\":\"y\"}`,
		`{"password":12345,"n":1`:                  `{"password":«password»,"n":1`,
	} {
		if got := short(testRedactor().JSON([]byte(in))); got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", in, got, want)
		}
	}
}

func TestDepth(t *testing.T) {
	for _, depth := range []int{9000, 20000} { // the second is more than encoding/json calls valid
		in := strings.Repeat(`{"a":[`, depth) + `{"password":"` + canary + `"}` + strings.Repeat(`]}`, depth)
		got := string(testRedactor().JSON([]byte(in)))
		if strings.Contains(got, canary) || short([]byte(got)) != strings.Replace(in, canary, "«password»", 1) {
			t.Errorf("at depth %d the secret, or something else, is gone wrong", depth)
		}
	}
}
