package mcp

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// respelt makes a server that gives back one id as another.
func respelt(from, to string) *scripted {
	return &scripted{hook: func(req wire.Message, good []byte) [][]byte {
		if good != nil && req.ID.String() == from {
			good = bytes.Replace(good, []byte(`"id":`+from), []byte(`"id":`+to), 1)
		}
		return some(good)
	}}
}

func some(raw []byte) [][]byte {
	if raw == nil {
		return nil
	}
	return [][]byte{raw}
}

func TestIDs(t *testing.T) {
	for _, w := range bothEras() {
		judge(t, stringIDs(),
			row{"as a number", respelt(`"1"`, "1"), w, reporters.Failed, "the id 1"},
			row{"without zeros", respelt(`"007"`, "7"), w, reporters.Failed, "the id 7"})
		judge(t, zeroID(), row{"null", respelt("0", "null"), w, reporters.Failed, "the id null"},
			row{"0.0", respelt("0", "0.0"), w, reporters.Passed, ""})
		judge(t, emptyID(), row{"null", respelt(`""`, "null"), w, reporters.Failed, "the id null"})
		judge(t, bigID(),
			row{"rounded", respelt("9007199254740993", "9007199254740992"), w, reporters.Warned, "9007199254740992"},
			row{"as text", respelt("9007199254740993", `"9007199254740993"`), w, reporters.Warned, `"9007199254740993"`},
			row{"refused", refusesBig(wire.NullID), w, reporters.Passed, ""},
			row{"refused under another id", refusesBig(wire.IntID(9007199254740992)), w, reporters.Warned, "9007199254740992"})
		judge(t, longID(), row{"cut", &scripted{hook: func(req wire.Message, good []byte) [][]byte {
			if len(req.ID.String()) > 1000 {
				good = wire.Result(wire.RawID([]byte(req.ID.String()[:100]+`"`)), []byte(`{}`))
			}
			return some(good)
		}}, w, reporters.Failed, "response with the id"})
	}
	for _, w := range modernWays() {
		judge(t, reusedID(), row{"remembered", remembers(), w, reporters.Failed, "second time"})
	}
}

// refusesBig makes a server that refuses the id that is too big for it, under another.
func refusesBig(under wire.ID) *scripted {
	return &scripted{hook: func(req wire.Message, good []byte) [][]byte {
		if req.ID.String() == "9007199254740993" {
			good = wire.Failure(under, -32600, "the id is too large", nil)
		}
		return some(good)
	}}
}

// remembers makes a server that refuses an id that the request before had.
func remembers() *scripted {
	last := ""
	return &scripted{hook: func(req wire.Message, good []byte) [][]byte {
		id := req.ID.String()
		if last == id && good != nil {
			good = wire.Failure(req.ID, -32600, "used before", nil)
		}
		last = id
		return some(good)
	}}
}

func TestNullID(t *testing.T) {
	swallow := func(req wire.Message, good []byte) [][]byte {
		if req.ID == wire.NullID {
			return nil
		}
		return some(good)
	}
	answer := func(req wire.Message, good []byte) [][]byte {
		if req.ID == wire.NullID {
			good = []byte(`{"jsonrpc":"2.0","id":null,"result":{}}`)
		}
		return some(good)
	}
	accept := scriptedHTTP{wrap: forcedStatus(http.StatusOK, http.StatusAccepted)}
	for _, rev := range []string{mcp.Rev2511, mcp.Rev2607} {
		judge(t, nullID(),
			row{"answered", &scripted{hook: answer}, way{"stdio", rev}, reporters.Passed, ""},
			row{"answered", &scripted{hook: answer}, way{"http", rev}, reporters.Passed, ""},
			row{"in silence", &scripted{hook: swallow}, way{"stdio", rev}, reporters.NotVerified, "unanswered"},
			row{"taken", &scripted{hook: swallow, http: accept}, way{"http", rev}, reporters.Failed, "no JSON-RPC response"})
	}
}

func TestNotifications(t *testing.T) {
	for _, w := range bothEras() {
		for name, c := range map[string]conformance.Case{
			"notifications/cancelled":          notificationUnanswered(),
			"notifications/peerwright/unknown": unknownNotification(),
		} {
			said := func(raw string) *scripted {
				return &scripted{hook: func(req wire.Message, good []byte) [][]byte {
					if req.Method == name {
						good = []byte(raw)
					}
					return some(good)
				}}
			}
			judge(t, c,
				row{"a result", said(`{"jsonrpc":"2.0","id":null,"result":{}}`), w, reporters.Failed, "result"},
				row{"an error", said(`{"jsonrpc":"2.0","error":{"code":-32601,"message":"no"}}`), w, reporters.Failed, "-32601"})
		}
	}
	for _, rev := range []string{mcp.Rev2511, mcp.Rev2607} {
		refuses := func(id string) *scripted {
			return &scripted{http: scriptedHTTP{wrap: notificationsAre(http.StatusBadRequest, `{"jsonrpc":"2.0",`+id+`"error":{"code":-32600,"message":"no"}}`)}}
		}
		judge(t, unknownNotification(),
			row{"refused", refuses(""), way{"http", rev}, reporters.Passed, ""},
			row{"refused under an id", refuses(`"id":1,`), way{"http", rev}, reporters.Failed, "400"})
	}
}

// notificationsAre answers unknown notifications by a status and a body.
func notificationsAre(status int, body string) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			raw, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(raw))
			if m := wire.Parse(raw); m.Kind == wire.KindNotification && m.Method != "notifications/initialized" {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
				return
			}
			h.ServeHTTP(w, r)
		})
	}
}

// turned makes a server that answers a request wrongly from the nth on.
func turned(p *scripted, method string, n int, wrong func(wire.Message, []byte) []byte) *scripted {
	p.hook = instead(method, func(req wire.Message, good []byte) []byte {
		if n--; n < 0 {
			return wrong(req, good)
		}
		return good
	}).hook
	return p
}

func TestConcurrentRequests(t *testing.T) {
	for _, w := range bothEras() {
		judge(t, concurrentRequests(),
			row{"mixed up", turned(&scripted{}, "tools/list", 4, works(`{}`)), w, reporters.Failed, "result {}"},
			row{"no lists", bare(&scripted{}), w, reporters.Passed, ""},
			row{"no lists, mixed up", turned(bare(&scripted{}), noSuchMethod, 2, works(`{}`)), w, reporters.Failed, "result {}"},
			row{"no errors", turned(bare(&scripted{}), noSuchMethod, 0, works(`{}`)), w, reporters.NotVerified, "result {}"})
	}
}

// swaps gives two requests that come under one id each other's answer.
func swaps(key func(*http.Request, wire.Message) string) func(http.Handler) http.Handler {
	var mu sync.Mutex
	waiting := map[string]chan [2]chan *httptest.ResponseRecorder{}
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			raw, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(raw))
			own := httptest.NewRecorder()
			h.ServeHTTP(own, r)
			m := wire.Parse(raw)
			if len(m.ID.String()) == 7 { // those that collide
				own = exchangeAnswers(&mu, waiting, key(r, m), own)
			}
			maps.Copy(w.Header(), own.Header())
			w.WriteHeader(own.Code)
			_, _ = w.Write(own.Body.Bytes())
		})
	}
}

// exchangeAnswers gives own for the answer of a partner that comes soon.
func exchangeAnswers(mu *sync.Mutex, waiting map[string]chan [2]chan *httptest.ResponseRecorder, key string, own *httptest.ResponseRecorder) *httptest.ResponseRecorder {
	mu.Lock()
	partner, there := waiting[key]
	if there {
		delete(waiting, key)
		mu.Unlock()
		pair := [2]chan *httptest.ResponseRecorder{make(chan *httptest.ResponseRecorder, 1), make(chan *httptest.ResponseRecorder, 1)}
		pair[0] <- own
		partner <- pair
		return <-pair[1]
	}
	mine := make(chan [2]chan *httptest.ResponseRecorder, 1)
	waiting[key] = mine
	mu.Unlock()
	select {
	case pair := <-mine:
		pair[1] <- own
		return <-pair[0]
	case <-time.After(200 * time.Millisecond):
		mu.Lock()
		defer mu.Unlock()
		delete(waiting, key)
		return own
	}
}

func TestOneIDTwice(t *testing.T) {
	byID := func(_ *http.Request, m wire.Message) string { return m.ID.String() }
	for _, rev := range []string{mcp.Rev2511, mcp.Rev2607} {
		w := way{"http", rev}
		judge(t, sameIDOnTwoConnections(),
			row{"swapped", &scripted{http: scriptedHTTP{wrap: swaps(byID)}}, w, reporters.Failed, "while another client used the same id"})
		judge(t, sameIDOnOneConnection(),
			row{"swapped", &scripted{http: scriptedHTTP{wrap: swaps(byID)}}, w, reporters.Warned, ""})
	}
}

func TestRepeatedLists(t *testing.T) {
	for _, w := range bothEras() {
		judge(t, listRepeats(),
			row{"each time another", grows(false), w, reporters.Warned, "where there were"},
			row{"and says so", grows(true), way{"stdio", w.revision}, reporters.NotVerified, "changed in the meantime"})
	}
	for _, w := range modernWays() {
		judge(t, listOnAnotherConnection(), row{"each time another", grows(false), w, reporters.Failed, "where there were"})
		judge(t, toolsOrder(),
			row{"another order", turns(), w, reporters.Warned, "count, echo"},
			row{"one tool", instead("tools/list", works(`{"resultType":"complete","tools":[{"name":"one"}]}`)), w, reporters.NotVerified, "fewer than two"})
	}
}

// grows makes a server that lists another tool each time.
func grows(tells bool) *scripted {
	n := 0
	return &scripted{hook: func(req wire.Message, good []byte) [][]byte {
		if req.Method != "tools/list" {
			return some(good)
		}
		n++
		good = bytes.Replace(good, []byte(`"name":"echo"`), []byte(`"name":"echo`+strings.Repeat("o", n)+`"`), 1)
		if tells {
			return [][]byte{wire.Notification("notifications/tools/list_changed", nil), good}
		}
		return some(good)
	}}
}

// turns makes a server that lists its tools in an order of its own each time.
func turns() *scripted {
	n := 0
	return &scripted{onePage: true, hook: func(req wire.Message, good []byte) [][]byte {
		if req.Method != "tools/list" {
			return some(good)
		}
		if n++; n%2 == 0 {
			_, items := (&scripted{}).items("tools/list")
			slices.Reverse(items)
			good = wire.Result(req.ID, []byte(`{"resultType":"complete","tools":[`+strings.Join(items[1:], ",")+`,`+items[0]+`]}`))
		}
		return some(good)
	}}
}
