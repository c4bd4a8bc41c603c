package a2ahttp

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
)

func clock() time.Time { return time.Time{} }

const isCard = `{"name":"a","skills":[]}`

func TestDiscoverPastAnOriginThatKeepsToItself(t *testing.T) {
	kept := says(http.StatusUnauthorized, "", "")
	a := startAgent(t, map[string]http.HandlerFunc{
		WellKnown: kept, OldWellKnown: kept, "/x": says(http.StatusOK, "application/json", refreshCard),
	})
	found, err := Discover(t.Context(), a.URL+"/x", Config{})
	if err != nil || found.URL != a.URL+"/x" || len(found.Tried) != 4 {
		t.Errorf("found %q after %d places, error %v", found.URL, len(found.Tried), err)
	}
	if _, err := Discover(t.Context(), a.URL, Config{}); err == nil {
		t.Error("an origin that refuses has a card")
	}
}

func TestDiscover(t *testing.T) {
	card, none := says(200, "application/json", isCard), says(200, "text/html", "<p>welcome")
	for _, test := range []struct {
		name  string
		paths map[string]http.HandlerFunc
		at    string // what the user gave
		found string
		asked []string
	}{
		{
			name: "well-known", paths: map[string]http.HandlerFunc{WellKnown: card}, found: WellKnown,
			asked: []string{WellKnown},
		},
		{
			name: "the path of 0.2", paths: map[string]http.HandlerFunc{OldWellKnown: card}, at: "/", found: OldWellKnown,
			asked: []string{WellKnown, OldWellKnown},
		},
		{
			name: "something else at the new path", found: OldWellKnown,
			paths: map[string]http.HandlerFunc{WellKnown: none, OldWellKnown: card},
			asked: []string{WellKnown, OldWellKnown},
		},
		{
			name: "405", found: OldWellKnown,
			paths: map[string]http.HandlerFunc{WellKnown: says(405, "text/plain", ""), OldWellKnown: card},
			asked: []string{WellKnown, OldWellKnown},
		},
		{
			name: "a mounted agent", paths: map[string]http.HandlerFunc{"/agents/x" + WellKnown: card}, at: "/agents/x/",
			found: "/agents/x" + WellKnown, asked: []string{"/agents/x" + WellKnown},
		},
		{
			name: "the card of the origin", paths: map[string]http.HandlerFunc{WellKnown: card}, at: "/rpc",
			found: WellKnown, asked: []string{"/rpc" + WellKnown, "/rpc" + OldWellKnown, WellKnown},
		},
		{
			name: "the URL of the card", paths: map[string]http.HandlerFunc{"/cards/x.json": card}, at: "/cards/x.json",
			found: "/cards/x.json", asked: []string{"/cards/x.json"},
		},
		{
			name: "a card without a name of its own", paths: map[string]http.HandlerFunc{"/card": card}, at: "/card", found: "/card",
			asked: []string{"/card" + WellKnown, "/card" + OldWellKnown, WellKnown, OldWellKnown, "/card"},
		},
		{
			name: "a redirect within the origin", found: WellKnown,
			paths: map[string]http.HandlerFunc{WellKnown: goesTo(301, "/moved.json"), "/moved.json": card},
			asked: []string{WellKnown, "/moved.json"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := startAgent(t, test.paths)
			found, err := Discover(t.Context(), a.URL+test.at, Config{})
			if err != nil {
				t.Fatal(err)
			}
			if found.URL != a.URL+test.found || found.Card.Name != "a" {
				t.Errorf("found %q at %s, want %s", found.Card.Name, found.URL, test.found)
			}
			var asked []string
			for _, r := range a.requests() {
				asked = append(asked, r.URL.Path)
				if r.Method != http.MethodGet || r.Header.Get("A2A-Version") != "1.0" {
					t.Errorf("%s with version %q", r.Method, r.Header.Get("A2A-Version"))
				}
			}
			if !slices.Equal(asked, test.asked) {
				t.Errorf("asked %q, want %q", asked, test.asked)
			}
		})
	}
}

func TestDiscoverFails(t *testing.T) {
	for _, test := range []struct {
		name  string
		paths map[string]http.HandlerFunc
		at    string
		want  string
		asked int
	}{
		{name: "nothing anywhere", want: "no agent card", asked: 2},
		{
			name: "401 stops and says where", want: WellKnown + ": error without an A2A code (HTTP 401)", asked: 1,
			paths: map[string]http.HandlerFunc{WellKnown: says(401, "text/plain", "")},
		},
		{
			name: "401 of the origin is said, and does not stop", at: "/x", want: WellKnown + ": error without an A2A code (HTTP 401)", asked: 5,
			paths: map[string]http.HandlerFunc{WellKnown: says(401, "text/plain", "")},
		},
		{
			name: "503 stops", want: "(HTTP 503): down", asked: 1,
			paths: map[string]http.HandlerFunc{WellKnown: says(503, "text/plain", "down")},
		},
		{
			name: "a redirect elsewhere is not followed", want: "redirects to another origin, http://other.invalid", asked: 2,
			paths: map[string]http.HandlerFunc{WellKnown: goesTo(302, "http://other.invalid/card.json")},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := startAgent(t, test.paths)
			_, err := Discover(t.Context(), a.URL+test.at, Config{})
			var noCard *NoCardError
			if !errors.As(err, &noCard) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q in it", err, test.want)
			}
			if got := len(a.requests()); got != test.asked {
				t.Errorf("asked %d times, want %d", got, test.asked)
			}
			if errors.Is(err, transport.ErrUnreachable) {
				t.Errorf("an agent that answered counts as unreachable: %v", err)
			}
		})
	}
}

func TestDiscoverUnreachable(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	_, err := Discover(t.Context(), gone.URL, Config{})
	if !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("error %v", err)
	}
}

func TestDiscoverRefusesAURLOfAnotherKind(t *testing.T) {
	for _, raw := range []string{"localhost:9999", "ftp://h", "http://", "::"} {
		if _, err := Discover(t.Context(), raw, Config{}); err == nil {
			t.Errorf("%q passed", raw)
		}
	}
}

func TestDialPicksAndKeepsTheCard(t *testing.T) {
	a := startAgent(t, map[string]http.HandlerFunc{WellKnown: says(200, "application/json", cardBoth)})
	c, err := Dial(t.Context(), a.URL, Config{Want: Want{Version: V03}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.Interface.URL != "http://h/0" || c.Found.Card.Name != "both" {
		t.Errorf("took %v of card %q", c.Interface, c.Found.Card.Name)
	}
	if got := a.requests()[0].Header.Get("A2A-Version"); got != V03 {
		t.Errorf("asked for the card of version %q", got)
	}
	if _, err := Dial(t.Context(), a.URL, Config{Want: Want{Binding: HTTPJSON}}); !errors.Is(err, ErrNoInterface) {
		t.Errorf("error %v", err)
	}
}
