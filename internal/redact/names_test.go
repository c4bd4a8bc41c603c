package redact

import "testing"

func TestSplitWords(t *testing.T) {
	for in, want := range map[string]string{
		"apiKey": "api key", "APIKey": "api key", "api_key": "api key", "API-KEY": "api key", "x.api.key": "x api key",
		"oauth2Token": "oauth 2 token", "password2": "password", "password_2": "password", "APIKEY": "apikey",
		"accessTokenURL": "access token url", "": "", "__": "", "é-token": "token", "HTTPAuthHeader": "http auth header",
	} {
		if got := string(splitWords(nil, []byte(in))); got != want {
			t.Errorf("splitWords(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSecretNames(t *testing.T) {
	for name, want := range map[string]string{
		"authorization": "authorization", "Authorization": "authorization", "X-Amzn-Authorization": "authorization",
		"Proxy-Authorization": "proxy_authorization", "cookie": "cookie", "Set-Cookie": "set_cookie", "setCookie": "set_cookie",
		"x-api-key": "api_key", "X-Goog-Api-Key": "api_key", "api_key": "api_key", "apikey": "api_key", "apiKey": "api_key",
		"api-key": "api_key", "OPENAI_API_KEY": "api_key", "Ocp-Apim-Subscription-Key": "api_key",
		"access_token": "access_token", "accessToken": "access_token", "GITHUB_PERSONAL_ACCESS_TOKEN": "access_token",
		"refresh_token": "refresh_token", "refreshToken": "refresh_token", "id_token": "id_token", "idToken": "id_token",
		"client_secret": "client_secret", "clientSecret": "client_secret", "secret": "secret", "webhookSecret": "secret",
		"password": "password", "userPassword": "password", "DB_PASSWORD": "password", "passwd": "password", "pwd": "password",
		"passphrase": "passphrase", "private_key": "private_key", "privateKey": "private_key", "privateKeyPEM": "",
		"token": "token", "TOKEN": "token", "X-A2A-Notification-Token": "token", "auth_token": "auth_token",
		"X-Auth-Token": "auth_token", "_authToken": "auth_token", "session_token": "session_token",
		"AWS_SECRET_ACCESS_KEY": "access_key", "AWS_SESSION_TOKEN": "session_token", "credential": "credential",
		"credentials": "credential", "bearer": "bearer", "access_tokens": "access_token", "token2": "token",

		"max_tokens": "", "maxTokens": "", "total_tokens": "", "completion_tokens": "", "tokens": "",
		"progressToken": "", "progress_token": "", "nextPageToken": "", "pageToken": "", "next_page_token": "",
		"cursor": "", "nextCursor": "", "tokenizer": "", "token_count": "", "token_type": "", "tokenUrl": "",
		"token_endpoint": "", "Mcp-Session-Id": "", "sessionId": "", "authorization_endpoint": "", "authorizationUrl": "",
		"authorization_servers": "", "WWW-Authenticate": "", "secretary": "", "passwordless": "", "compass": "",
		"keyboard": "", "key": "", "public_key": "", "Idempotency-Key": "", "Sec-WebSocket-Key": "", "signature": "",
		"password_policy": "", "eos_token": "", "cookieConsentUrl": "", "credentials_supported": "", "": "",
	} {
		got, ok := ruleFor([]byte(name), secretNames)
		if got.name != want || ok != (want != "") {
			t.Errorf("%q is secret as %q (%t), want %q", name, got.name, ok, want)
		}
	}
}

func TestTablesFitTheirConstants(t *testing.T) {
	for _, table := range []map[string]rule{secretNames, secretParameters} {
		for end, r := range table {
			words := splitWords(nil, []byte(end))
			if string(words) != end || string(lastWords(words, maxNameWords)) != end {
				t.Errorf("%q can never match", end)
			}
			if len(r.name) > maxMarkName {
				t.Errorf("%q is too long for a replacement", r.name)
			}
		}
	}
	for s := range schemes {
		if len(s) > maxScheme {
			t.Errorf("%q is longer than maxScheme", s)
		}
	}
}
