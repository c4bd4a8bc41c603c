package mcptools_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools"
	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/dial"
	"github.com/peerwright/peerwright/internal/seal"
	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/store/memory"
)

// upstreamEnv and keysEnv make the test binary a bridge in front of that server, with its
// keys in that store.
const upstreamEnv, keysEnv = "PEERWRIGHT_TEST_UPSTREAM", "PEERWRIGHT_TEST_KEYS"

func TestMain(m *testing.M) {
	var err error
	switch role, server := os.Getenv(roleEnv), os.Getenv(upstreamEnv); {
	case role != "":
		err = actRole(role)
	case server != "":
		err = actBridge(server, os.Getenv(keysEnv))
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func actBridge(server, keys string) error {
	u, err := upstream.New(upstream.Config{ID: "server1", Target: dial.Target{URL: server}, Now: time.Now, Random: rand.Reader})
	if err != nil {
		return err
	}
	backend, err := mcptools.New(mcptools.Options{
		Upstreams: []*upstream.Upstream{u}, Keys: remoteKeys(keys), Seal: seal.New(make([]byte, 32)),
		Timeout: 300 * time.Millisecond, Lease: 300 * time.Millisecond,
	})
	if err != nil {
		return err
	}
	surface, err := openai.New(openai.Options{Backends: []openai.Backend{backend}})
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + ln.Addr().String())
	return surface.Serve(context.Background(), ln)
}

// keyRequest is one use of a store in another process.
type keyRequest struct {
	Op            string
	Key           store.Key
	Digest, Owner string
	Lease, TTL    time.Duration
	Result        []byte
}

// remoteKeys is the client of a store that outlives the bridge.
type remoteKeys string

func (r remoteKeys) do(ctx context.Context, q keyRequest) (rec store.KeyRecord, err error) {
	raw, err := json.Marshal(q)
	if err != nil {
		return rec, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, string(r), bytes.NewReader(raw))
	if err != nil {
		return rec, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return rec, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return rec, store.ErrNotHeld
	}
	return rec, json.NewDecoder(resp.Body).Decode(&rec)
}

func (r remoteKeys) Begin(ctx context.Context, k store.Key, digest, owner string, lease, ttl time.Duration) (store.KeyRecord, error) {
	return r.do(ctx, keyRequest{Op: "begin", Key: k, Digest: digest, Owner: owner, Lease: lease, TTL: ttl})
}

func (r remoteKeys) Extend(ctx context.Context, k store.Key, owner string, lease time.Duration) error {
	_, err := r.do(ctx, keyRequest{Op: "extend", Key: k, Owner: owner, Lease: lease})
	return err
}

func (r remoteKeys) Finish(ctx context.Context, k store.Key, owner string, result []byte, ttl time.Duration) error {
	_, err := r.do(ctx, keyRequest{Op: "finish", Key: k, Owner: owner, Result: result, TTL: ttl})
	return err
}

func (r remoteKeys) Abandon(ctx context.Context, k store.Key, owner string) error {
	_, err := r.do(ctx, keyRequest{Op: "abandon", Key: k, Owner: owner})
	return err
}

// serveKeys is the store behind remoteKeys.
func serveKeys(keys store.Keys) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q keyRequest
		var rec store.KeyRecord
		err := json.NewDecoder(r.Body).Decode(&q)
		switch ctx := context.WithoutCancel(r.Context()); q.Op {
		case "begin":
			rec, err = keys.Begin(ctx, q.Key, q.Digest, q.Owner, q.Lease, q.TTL)
		case "extend":
			err = keys.Extend(ctx, q.Key, q.Owner, q.Lease)
		case "finish":
			err = keys.Finish(ctx, q.Key, q.Owner, q.Result, q.TTL)
		case "abandon":
			err = keys.Abandon(ctx, q.Key, q.Owner)
		default:
			err = errors.Join(err, errors.New("no such operation"))
		}
		if err != nil {
			w.WriteHeader(http.StatusConflict)
			return
		}
		_ = json.NewEncoder(w).Encode(rec)
	})
}

// mortal is a bridge in a process of its own, that is killed and started again.
type mortal struct {
	env []string
	url atomic.Value // of the one that lives

	mu  sync.Mutex
	cmd *exec.Cmd
}

func (p *mortal) start(t *testing.T) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), p.env...), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return
	}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Errorf("the bridge did not start: %v", err)
	}
	p.mu.Lock()
	p.cmd = cmd
	p.mu.Unlock()
	p.url.Store(strings.TrimSpace(line))
}

func (p *mortal) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// The bridge is killed and started again in the middle of calls: each is executed once or
// said to be unknown, and nobody is told two things of one call.
func TestBridgesThatAreKilled(t *testing.T) {
	keys, callers := 600, 12
	sky := &weather{ran: map[string]int{}, rnd: mathrand.New(mathrand.NewPCG(3, 4))}
	web := httptest.NewUnstartedServer(sky)
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	web.Start()
	defer web.Close()
	keep := httptest.NewServer(serveKeys(memory.New(time.Now)))
	defer keep.Close()
	p := &mortal{env: []string{upstreamEnv + "=" + web.URL, keysEnv + "=" + keep.URL}}
	p.start(t)
	stop, stopped := make(chan struct{}), make(chan struct{})
	kills := 0
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(50+mathrand.IntN(150)) * time.Millisecond):
				p.kill()
				p.start(t)
				kills++
			}
		}
	}()
	heard := make([]told, keys)
	work := make(chan int)
	var crowd sync.WaitGroup
	for range callers {
		crowd.Go(func() {
			for i := range work {
				p.insist(t, i, &heard[i])
			}
		})
	}
	for i := range keys * 2 {
		work <- i % keys
	}
	close(work)
	crowd.Wait()
	close(stop)
	<-stopped
	p.kill()
	t.Logf("%d kills, %d of %d keys unknown", kills, judge(t, sky, heard), keys)
	if kills == 0 {
		t.Error("no bridge was killed")
	}
}

// insist calls until somebody says what there is to know, whichever bridge that is.
func (p *mortal) insist(t *testing.T, i int, h *told) {
	client := &http.Client{Timeout: 5 * time.Second}
	defer client.CloseIdleConnections()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		req, _ := http.NewRequest(http.MethodPost, p.url.Load().(string)+"/v1/chat/completions",
			strings.NewReader(body(call{name: "create_order", args: fmt.Sprintf(`{"n":%d}`, i)})))
		req.Header.Set("X-Idempotency-Key", fmt.Sprint("key-", i))
		resp, err := client.Do(req)
		if err != nil { // it was killed
			<-time.After(5 * time.Millisecond)
			continue
		}
		raw, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err == nil && h.take(t, answer{resp.StatusCode, resp.Header, raw}) {
			return
		}
	}
	t.Errorf("key %d came to no end", i)
}
