package redact

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
)

// URLSecrets returns the secrets in an address, for [Redactor.Known]: its userinfo, and
// the parameters that hold secrets by their name. A user beside a password is no
// secret. An address that cannot be read holds none.
func URLSecrets(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	var secrets []string
	if u.User != nil {
		password, both := u.User.Password()
		if !both {
			password = u.User.Username()
		}
		secrets = append(secrets, password, u.User.String(), u.User.Username()+":"+password)
	}
	for name, values := range u.Query() {
		if _, secret := ruleFor([]byte(name), secretNames, secretParameters); secret {
			secrets = append(secrets, values...)
		}
	}
	return secrets
}

// HeaderSecrets returns the secrets in the value of a header that holds credentials,
// for [Redactor.Known]: the whole of it, the password in Basic (RFC 7617), each value
// in a Cookie.
func HeaderSecrets(name, value string) []string {
	secrets := []string{value}
	if http.CanonicalHeaderKey(name) == "Cookie" {
		for _, pair := range strings.Split(value, ";") {
			_, secret, _ := strings.Cut(pair, "=")
			secrets = append(secrets, strings.TrimSpace(secret))
		}
	}
	if n := schemeLength([]byte(value)); strings.EqualFold(strings.TrimSpace(value[:n]), "basic") {
		plain, err := base64.StdEncoding.DecodeString(value[n:])
		if _, password, both := strings.Cut(string(plain), ":"); err == nil && both {
			secrets = append(secrets, password)
		}
	}
	return secrets
}
