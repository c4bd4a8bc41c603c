package live_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/peerwright/peerwright/internal/store/mongotest"
)

// shared are the stores that outlive a process.
func shared() map[string]func(*testing.T) string {
	return map[string]func(*testing.T) string{
		"sqlite": func(t *testing.T) string { return "sqlite://" + filepath.Join(t.TempDir(), "bridge.db") },
		"mongodb": func(t *testing.T) string {
			return mongotest.Database(t, mongotest.Start(t))
		},
	}
}

// TestKilledBetweenTurns kills the bridge after a turn, and in the middle of one. The next
// process goes on with the conversations.
func TestKilledBetweenTurns(t *testing.T) {
	for name, open := range shared() {
		t.Run(name, func(t *testing.T) {
			agents, store := newScripted(t), open(t)
			args := []string{"--store", store, "--a2a", "helper=" + agents.URL + "/stream/"}
			b := bridge(t, nil, args...)
			for n := range 3 {
				for _, c := range []string{"one", "two"} {
					got := mustChat(t, b.url, said("helper", "count", n%2 == 0), "X-Conversation-Id", c)
					if got.text != fmt.Sprintf("turn %d", n+1) {
						t.Errorf("%s after %d kills: %s", c, n, got.raw)
					}
				}
				b.kill(t)
				b = bridge(t, nil, args...)
			}
			killedMidway(t, b)
			again := bridge(t, nil, args...)
			if got := mustChat(t, again.url, said("helper", "hold", false), "X-Conversation-Id", "midway"); got.text != "turn 2" {
				t.Errorf("after a kill in the middle of the first turn: %s", got.raw)
			}
		})
	}
}

// killedMidway kills the bridge as soon as the client has seen something of a first turn.
func killedMidway(t *testing.T, b *running) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.url+"/v1/chat/completions", strings.NewReader(marshalled(said("helper", "hold", true))))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Conversation-Id", "midway")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var seen strings.Builder
	for buf := make([]byte, 4096); !strings.Contains(seen.String(), "Wait…"); {
		n, err := resp.Body.Read(buf)
		seen.Write(buf[:n])
		if err != nil {
			t.Fatalf("%v after %s", err, &seen)
		}
	}
	b.kill(t)
}

// TestTwoBridgesOnOneStore sends the turns of conversations to two processes at once. The
// agent sees one context for each conversation, and the record has each turn once.
func TestTwoBridgesOnOneStore(t *testing.T) {
	const conversations, turns = 4, 10
	for name, open := range shared() {
		t.Run(name, func(t *testing.T) {
			agents, store := newScripted(t), open(t)
			args := []string{"--quiet", "--store", store, "--a2a", "helper=" + agents.URL + "/stream/"}
			bridges := []*running{bridge(t, nil, args...), bridge(t, nil, args...)}
			var all sync.WaitGroup
			for n := range conversations * turns {
				all.Go(func() {
					c := fmt.Sprintf("conversation %d", n%conversations)
					got, err := chat(t.Context(), bridges[n/conversations%2].url, said("helper", "count "+c, n%3 == 0), "X-Conversation-Id", c)
					if err != nil || !strings.HasPrefix(got.text, "turn ") || got.finish != "stop" {
						t.Errorf("%s: %v %s", c, err, got.raw)
					}
				})
			}
			all.Wait()
			oneContextEach(t, agents, conversations, turns)
			recordedOnce(t, store, conversations, turns)
		})
	}
}

func oneContextEach(t *testing.T, agents *scripted, conversations, turns int) {
	t.Helper()
	contexts := map[string]map[string]int{}
	for _, h := range agents.heardOf() {
		if contexts[h.text] == nil {
			contexts[h.text] = map[string]int{}
		}
		contexts[h.text][h.context]++
	}
	if len(contexts) != conversations {
		t.Errorf("%d conversations reached the agent", len(contexts))
	}
	for c, of := range contexts {
		for _, n := range of {
			if len(of) != 1 || n != turns {
				t.Errorf("%s: turns by context %v", c, of)
			}
		}
	}
}

func recordedOnce(t *testing.T, store string, conversations, turns int) {
	t.Helper()
	out, err := program(t, nil, "bridge", "turns", "--json", "--store", store).Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Conversation string
		Seq          int
		State        string
	}
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	seen := map[string]bool{}
	for _, one := range all {
		seen[fmt.Sprint(one.Conversation, " ", one.Seq)] = true
	}
	if len(all) != conversations*turns || len(seen) != len(all) {
		t.Errorf("%d turns are recorded, %d of them under a number of their own: %s", len(all), len(seen), out)
	}
}
