package redact

import (
	"strings"
	"testing"
)

// textTests are texts, and what they become, by name of the test.
type textTests map[string]struct{ in, want string }

func (tests textTests) run(t *testing.T) {
	t.Helper()
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := userinfoDigest.ReplaceAllString(string(testRedactor().Text([]byte(tt.in))), "$1")
			if got = short([]byte(got)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestTextNames(t *testing.T) {
	textTests{
		"equals":           {"password=x user=u", "password=«password» user=u"},
		"spaces":           {"password = x", "password = «password»"},
		"colon":            {"api-key: x123\nnext: y", "api-key: «api_key»\nnext: y"},
		"no space":         {"token:x", "token:«token»"},
		"quoted":           {`password="a b" c`, `password="«password»" c`},
		"single quotes":    {"{'token': 'a b'}", "{'token': '«token»'}"},
		"quote inside":     {`{"token": "a\"b", "c": 1,`, `{"token": "«token»", "c": 1,`},
		"two words":        {"Your API key: abc123.", "Your API key: «api_key»"},
		"markdown":         {"**Access token:** abc123", "**Access token:** «access_token»"},
		"markdown outside": {"**Token**: `abc123`", "**Token**: `«token»`"},
		"arrow":            {`:password => "x"`, `:password => "«password»"`},
		"list":             {"token=abc, user=u", "token=«token», user=u"},
		"comma inside":     {"password=a,b user=u", "password=«password» user=u"},
		"brackets":         {"(token=abc)", "(token=«token»)"},
		"other pair":       {"token=abc,user=u;password=p", "token=«token»,user=u;password=«password»"},
		"environment":      {"export GITHUB_TOKEN=abc OPENAI_API_KEY='d'", "export GITHUB_TOKEN=«token» OPENAI_API_KEY='«api_key»'"},
		"flag":             {"run --api-key x -v --token=y --port 80", "run --api-key «api_key» -v --token=«token» --port 80"},
		"flag at end":      {"run --password", "run --password"},
		"flag and flag":    {"run --token --verbose", "run --token --verbose"},
		"not a flag":       {"a--token b", "a--token b"},
		"scheme and more":  {"token: Bearer abc user", "token: Bearer «token» user"},
		"empty":            {"password= user=u", "password= user=u"},
		"connection":       {"Server=db;Password=p;Database=d", "Server=db;Password=«password»;Database=d"},
	}.run(t)
}

func TestTextHeaderFields(t *testing.T) {
	textTests{
		"authorization":    {"Authorization: Basic YTpi\r\nHost: h", "Authorization: Basic «authorization»\r\nHost: h"},
		"digest":           {`Authorization: Digest username="u", response="r"`, "Authorization: Digest «authorization»"},
		"curl":             {`curl -H "Authorization: Bearer a b" http://h`, `curl -H "Authorization: Bearer «authorization»" http://h`},
		"cookie":           {"Cookie: a=1; b=2\nX: y", "Cookie: a=«cookie»; b=«cookie»\nX: y"},
		"set-cookie":       {"set-cookie: a=1; Path=/; HttpOnly", "set-cookie: a=«set_cookie»; Path=/; HttpOnly"},
		"cookie in cookie": {"cookie: a=1; cookie=cookie: b=2", "cookie: a=«cookie»; cookie=«cookie»"},
	}.run(t)
}

func TestTextSchemes(t *testing.T) {
	textTests{
		"bearer":        {"send Bearer abc123DEF now", "send Bearer «bearer» now"},
		"bearer, small": {"bearer abcdefgh", "bearer «bearer»"},
		"padded":        {`"Bearer abcdef=", Bearer ghijkl==`, `"Bearer «bearer»", Bearer «bearer»`},
		"escaped":       {`\"Bearer abcdef=\"}`, `\"Bearer «bearer»\"}`},
		"challenge":     {`Bearer realm="", \"Bearer realm=\"x\"`, `Bearer realm="", \"Bearer realm=\"x\"`},
		"BEARER":        {"BEARER abc123DEF", "BEARER «bearer»"},
		"basic":         {"Basic dXNlcjpwYXNz", "Basic «basic»"},
	}.run(t)
}

func TestTextShapes(t *testing.T) {
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln-_"
	pem := "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"
	textTests{
		"openai":        {"key sk-proj-abcdefghijklmnop.", "key «token»."},
		"github":        {"ghp_abcdefghijklmnopqrstuvwxyz gho_abcdefghijklmnopqrstuvwxyz", "«token» «token»"},
		"github new":    {"github_pat_11ABCDEFG_abcdefghijklmnop", "«token»"},
		"slack":         {"xoxb-12345-67890-abc", "«token»"},
		"aws":           {"AKIAIOSFODNN7EXAMPLE", "«token»"},
		"jwt":           {"it is " + jwt + ", yes", "it is «jwt», yes"},
		"pem":           {"a\n" + pem + "\nb", "a\n«private_key»\nb"},
		"pem cut":       {"a " + pem[:40], "a «private_key»"},
		"after escapes": {`a\nghp_abcdefghijklmnopqrstuvwxyz%20ghp_abcdefghijklmnopqrstuvwxyz\u0020ghp_abcdefghijklmnopqrstuvwxyz`, `a\n«token»%20«token»\u0020«token»`},
	}.run(t)
}

func TestTextAddresses(t *testing.T) {
	textTests{
		"userinfo":         {"at https://user:p@ss@host/x, ok", "at https://%5BREDACTED:userinfo:%5D@host/x, ok"},
		"user alone":       {"https://tok@host", "https://%5BREDACTED:userinfo:%5D@host"},
		"user named token": {"https://token:x@host", "https://%5BREDACTED:userinfo:%5D@host"},
		"host named token": {"http://token:8080/", "http://token:8080/"},
		"parameter":        {"(https://h/p?a=b&access_token=x#f)", "(https://h/p?a=b&access_token=«access_token»#f)"},
		"signature":        {"https://h/p?X-Amz-Signature=x&sig=y", "https://h/p?X-Amz-Signature=«signature»&sig=«signature»"},

		"binary": {"\x00\xff password=\xfe\xff\x80 \x01", "\x00\xff password=«password» \x01"},
	}.run(t)
}

func TestTextKeepsWhatIsNoSecret(t *testing.T) {
	for _, in := range []string{
		"", "max_tokens=5 total_tokens: 7", "progressToken: abc123", "nextPageToken=abc123",
		"token_type=Bearer", "The token: a string that identifies you.", "password: required",
		"apiKey: string; token: Optional[str]", "Authorization: required for every call", "Invalid token: expected three parts",
		`WWW-Authenticate: Bearer realm="mcp", error="invalid_token", resource_metadata="https://h/x"`,
		"Bearer token", "Bearer authentication is used", "Basic authentication", "the bearer of this",
		"token: <your token>", "password=${PASSWORD}", "key={{token}}", "secret://vault/path", "auth::token::new()",
		"task-abcdefghijklmnopqrstuvwxyz", "risk-assessment-of-everything", "eyJub3QiOiJhIHRva2VuIn0",
		"-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----", "https://host/path?a=b&page_token=c",
		"mailto:a@b.example", "Mcp-Session-Id: 1868a90c-5ae3-4f8f", "password:", "token", "token=",
		"Unexpected token: }", "iVBORw0KGgo=AAAA", "\xff\xfe\x00binary\x80",
	} {
		if got := testRedactor().Text([]byte(in)); string(got) != in {
			t.Errorf("%q became %q", in, got)
		}
	}
}

func TestURL(t *testing.T) {
	r := testRedactor()
	for in, want := range map[string]string{
		"/path?token=a,b;c)&x=1":             "/path?token=«token»&x=1",
		"https://h/?a=1#access_token=x":      "https://h/?a=1#access_token=«access_token»",
		"?api%5Fkey=x":                       "?api%5Fkey=«api_key»",
		"wss://h/x?q=a+b&n=%2F":              "wss://h/x?q=a+b&n=%2F",
		"https://h/xoxb-12345-67890-abc":     "https://h/«token»",
		"":                                   "",
		"%zz?token=%zz":                      "%zz?token=«token»",
		"/p?q=%7B%22token%22%3A%22x%22%7D&r": "/p?q=%7B%22token%22%3A%22%5BREDACTED%3Atoken%3A",
	} {
		got := short([]byte(r.URL(in)))
		if got != want && !(strings.HasSuffix(want, "%3A") && strings.HasPrefix(got, want) && strings.HasSuffix(got, "%22%7D&r")) {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestParameterInAParameter(t *testing.T) {
	got := string(testRedactor().Text([]byte("https://h/?to=https%3A%2F%2Fi%2F%3Ftoken%3D" + canary + "%26a%3Db&c=d")))
	begin, end := "https://h/?to=https%3A%2F%2Fi%2F%3Ftoken%3D%5BREDACTED%3Atoken%3A", "%5D%26a%3Db&c=d"
	if !strings.HasPrefix(got, begin) || !strings.HasSuffix(got, end) {
		t.Errorf("got %s, want %s…%s", got, begin, end)
	}
}

func TestParameterHasTheDigestOfItsMeaning(t *testing.T) {
	r := testRedactor()
	if a, b := r.URL("?token=a%2Bb"), r.URL("?token=a%2bb"); a != b {
		t.Errorf("%s and %s differ", a, b)
	}
	if a, b := r.URL("?token=a%2Bb"), string(r.Text([]byte("token=a+b"))); a[1:] != b {
		t.Errorf("%s and %s differ", a, b)
	}
}
