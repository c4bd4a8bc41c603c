package mongo

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		url, name string
		patience  time.Duration
	}{
		{"mongodb://h", "mongodb h:27017/peerwright", defaultPatience},
		{"mongodb://h:1,i:2/", "mongodb h:1,i:2/peerwright", defaultPatience},
		{"mongodb://u:p%40%2Fss@h:1/db?timeoutMS=250&authSource=admin", "mongodb h:1/db", 250 * time.Millisecond},
		{"mongodb://u:p@h:1/d%20b", "mongodb h:1/d b", defaultPatience},
	} {
		a, err := parse(t.Context(), tt.url)
		if err != nil {
			t.Errorf("%s: %v", tt.url, err)
			continue
		}
		name := strings.ReplaceAll(a.name(), "h/", "h:27017/")
		if name != tt.name || a.patience != tt.patience {
			t.Errorf("%s: %s %s", tt.url, name, a.patience)
		}
	}
}

// However a URL is broken, no piece of its password is told.
func TestNoCredentialsInErrors(t *testing.T) {
	for _, url := range []string{
		"mongodb://someone:canary@/db", "mongodb://someone:can%zzary@h/db", "mongodb://someone:can/ary@h/db",
		"mongodb://someone:can?ary@h/db", "mongodb://someone:can#ary@h/db", "mongodb://someone:can@ary@h/db",
		"mongodb://someone:can:ary@h/db", "mongodb://someone:canary@h:port/db", "mongodb://someone:canary@h/db?w=-5",
		"mongodb+srv://someone:canary@h:1/db", "mongodb+srv://someone:canary@h,i/db", "mongodb://:canary@h/db",
		"mongodb://h/?tls=true&tlsCertificateKeyFilePassword=canary&tlsCertificateKeyFile=/none",
		"mongodb://someone:canary@h/?authMechanism=canary-no-mechanism-but-this-is-not-secret",
	} {
		_, err := parse(t.Context(), url)
		if err == nil {
			t.Logf("%s is no broken URL", url)
			continue
		}
		told := strings.ReplaceAll(err.Error(), "canary-no-mechanism", "")
		for _, piece := range []string{"canary", "can%", "can/", "can@", "ary@", "can?", "can#", "can:", "ary"} {
			if strings.Contains(told, piece) {
				t.Errorf("%s: %v", url, err)
				break
			}
		}
	}
	a, err := parse(t.Context(), "mongodb://someone:can%40ary-long@h/db")
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"can@ary-long", "can%40ary-long"} {
		cause := fmt.Errorf("the server says %s", secret)
		if told := a.clean("ask", cause).Error(); strings.Contains(told, "ary") {
			t.Error(told)
		}
	}
}
