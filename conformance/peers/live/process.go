package live

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// process is a peer that runs. All that it writes is read, always.
type process struct {
	cmd   *exec.Cmd
	said  chan string   // where it listens, once
	ended chan struct{} // closed when it has ended
	once  sync.Once

	mu   sync.Mutex
	last []string // the last lines that it wrote
}

// tailLines is how many lines are kept of what a process writes.
const tailLines = 20

// grace is how long a process may take to end after it was asked to.
const grace = 2 * time.Second

func launch(p program) (*process, error) {
	c := &process{said: make(chan string, 1), ended: make(chan struct{})}
	c.cmd = exec.Command(p.args[0], p.args[1:]...)
	c.cmd.Env = append(os.Environ(), p.env...)
	leadGroup(c.cmd)
	r, w := io.Pipe()
	c.cmd.Stdout, c.cmd.Stderr = w, w
	c.cmd.WaitDelay = grace
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", p.args[0], err)
	}
	go c.read(r)
	go func() {
		_ = c.cmd.Wait() // how it ended shows in what it wrote
		_ = w.Close()
		close(c.ended)
	}()
	return c, nil
}

func (c *process) read(r io.Reader) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		c.note(strings.TrimRight(line, "\r\n"))
		if err != nil {
			return
		}
	}
}

func (c *process) note(line string) {
	if url, ok := strings.CutPrefix(line, "listening "); ok {
		select {
		case c.said <- url:
		default:
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last = append(c.last, line); len(c.last) > tailLines {
		c.last = c.last[1:]
	}
}

func (c *process) tail() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.TrimSpace(strings.Join(c.last, "\n"))
}

// listening waits until the process says where it listens.
func (c *process) listening(ctx context.Context) (string, error) {
	select {
	case url := <-c.said:
		return url, nil
	case <-c.ended:
		return "", fmt.Errorf("it ended with %s before it listened", c.cmd.ProcessState)
	case <-ctx.Done():
		return "", fmt.Errorf("it never said where it listens: %w", context.Cause(ctx))
	}
}

// answers waits until something takes connections at the address.
func (c *process) answers(ctx context.Context, address string) error {
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			_ = conn.Close()
			return nil
		}
		select {
		case <-again.C:
		case <-c.ended:
			return fmt.Errorf("it ended with %s before it listened", c.cmd.ProcessState)
		case <-ctx.Done():
			return fmt.Errorf("nothing answers at %s: %w", address, context.Cause(ctx))
		}
	}
}

// stop ends the process and all that it started.
func (c *process) stop() {
	c.once.Do(func() {
		ask(c.cmd)
		select {
		case <-c.ended:
		case <-time.After(grace):
		}
		force(c.cmd)
		<-c.ended
	})
}
