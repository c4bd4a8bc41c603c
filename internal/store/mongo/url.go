package mongo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/peerwright/peerwright/internal/redact"
)

const (
	defaultDatabase = "peerwright"
	// defaultPatience is how long a call may take, and defaultSelection how long of it a
	// server is looked for.
	defaultPatience  = 10 * time.Second
	defaultSelection = 5 * time.Second
)

// address is what a URL says.
type address struct {
	options  *options.ClientOptions
	database string
	patience time.Duration
	secrets  *redact.Redactor
}

// parse reads a URL. That of the scheme mongodb+srv is looked up in the DNS.
func parse(ctx context.Context, text string) (address, error) {
	a := address{database: defaultDatabase, patience: defaultPatience, secrets: redact.New(randomKey()).Known(credentials(text)...)}
	o, err := lookUp(ctx, text, a.patience)
	if err != nil {
		return a, a.clean("read the URL", err)
	}
	a.options = withDefaults(o)
	if o.Timeout != nil && *o.Timeout > 0 {
		a.patience = *o.Timeout
	}
	_, path, _ := strings.Cut(withoutCredentials(text), "://")
	_, path, _ = strings.Cut(path, "/")
	path, _, _ = strings.Cut(path, "?")
	if name, err := url.QueryUnescape(path); err == nil && name != "" {
		a.database = name
	}
	return a, nil
}

func withDefaults(o *options.ClientOptions) *options.ClientOptions {
	if o.ServerSelectionTimeout == nil {
		o.SetServerSelectionTimeout(defaultSelection)
	}
	if o.WriteConcern == nil {
		o.SetWriteConcern(writeconcern.Majority())
	}
	if o.AppName == nil {
		o.SetAppName("peerwright")
	}
	return o.SetReadPreference(readpref.Primary())
}

// lookUp lets the driver read the URL, which may ask the DNS and takes no context.
func lookUp(ctx context.Context, text string, patience time.Duration) (*options.ClientOptions, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	type answer struct {
		o   *options.ClientOptions
		err error
	}
	done := make(chan answer, 1)
	go func() {
		o, err := apply(text)
		done <- answer{o, err}
	}()
	select {
	case a := <-done:
		return a.o, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// apply reads the URL. The words of an error are those of a URL without credentials, as
// pieces of them may stand anywhere in the others.
func apply(text string) (*options.ClientOptions, error) {
	o := options.Client().ApplyURI(text)
	if o.Validate() == nil {
		return o, nil
	}
	if err := options.Client().ApplyURI(withoutCredentials(text)).Validate(); err != nil {
		return nil, err
	}
	return nil, errors.New("the user and the password must be percent-encoded (: / ? # [ ] @ and %), and fit the other options")
}

// credentials returns what must never be told: userinfo, password, and the parameters
// that hold secrets.
func credentials(text string) (found []string) {
	_, rest, _ := strings.Cut(text, "://")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		_, password, _ := strings.Cut(rest[:at], ":")
		found = append(found, rest[:at], password)
		if plain, err := url.PathUnescape(password); err == nil {
			found = append(found, plain)
		}
	}
	_, query, _ := strings.Cut(rest, "?")
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name = strings.ToLower(name)
		if strings.Contains(name, "password") || name == "authmechanismproperties" {
			found = append(found, value)
		}
	}
	return found
}

// withoutCredentials returns the URL without its userinfo.
func withoutCredentials(text string) string {
	scheme, rest, _ := strings.Cut(text, "://")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = "user:password" + rest[at:]
	}
	return scheme + "://" + rest
}

// name says where the store is.
func (a address) name() string {
	return "mongodb " + strings.Join(a.options.Hosts, ",") + "/" + a.database
}

// clean wraps an error with what was being done. Its text holds no credentials.
func (a address) clean(doing string, err error) error {
	if err == nil {
		return nil
	}
	told := fmt.Sprintf("mongodb store: %s: %s", doing, err)
	return &fault{string(a.secrets.Text([]byte(told))), err}
}

// fault is an error whose text was cleaned.
type fault struct {
	text  string
	cause error
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.cause }

func randomKey() []byte {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	return key
}
