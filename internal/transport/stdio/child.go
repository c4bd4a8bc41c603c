package stdio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"

	"github.com/peerwright/peerwright/internal/transport"
)

// child is a started command with the ends of its three pipes.
type child struct {
	cmd            *exec.Cmd
	stdin          *os.File
	stdout, stderr *source
	theirs         []*os.File // the child's ends of the pipes
	gone           chan struct{}
	end            State // how it ended; set before gone is closed
}

// startChild starts the command; the context bounds the start and nothing after it.
func startChild(ctx context.Context, command Command) (*child, error) {
	if len(command.Args) == 0 {
		return nil, fmt.Errorf("%w: no command given", transport.ErrUnreachable)
	}
	c := &child{cmd: exec.Command(command.Args[0], command.Args[1:]...), gone: make(chan struct{})} //nolint:noctx // running it is the purpose
	c.cmd.Args = slices.Clone(command.Args)
	c.cmd.Dir, c.cmd.Env, c.cmd.SysProcAttr = command.Dir, command.Env, ownGroup()
	if err := c.pipes(); err != nil {
		c.closePipes()
		return nil, command.unstartable(err)
	}
	started := make(chan error, 1)
	go c.live(started)
	select {
	case err := <-started:
		if err != nil {
			c.closePipes()
			return nil, command.unstartable(err)
		}
		return c, nil
	case <-ctx.Done():
		go c.abandon(started)
		return nil, command.unstartable(context.Cause(ctx))
	}
}

// pipes makes the three pipes. They are files, not the pipes of package exec, so that
// waiting for the child does not wait for those that inherited its streams.
func (c *child) pipes() error {
	inR, inW, err1 := os.Pipe()
	outR, outW, err2 := os.Pipe()
	errR, errW, err3 := os.Pipe()
	c.stdin, c.stdout, c.stderr = inW, &source{stream: outR}, &source{stream: errR}
	c.theirs = []*os.File{inR, outW, errW}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = inR, outW, errW
	return errors.Join(err1, err2, err3)
}

// live starts the child and sees it through to its end. It keeps its thread to
// itself: the kernel takes the end of the thread that started a child for the end of
// the parent (PR_SET_PDEATHSIG), and Go may end any other thread.
func (c *child) live(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := c.cmd.Start()
	for _, f := range c.theirs {
		_ = f.Close() // the child has its own copies
	}
	started <- err
	if err != nil {
		return
	}
	_ = c.cmd.Wait() // how it ended stands in the ProcessState
	c.end = stateOf(c.cmd.ProcessState)
	close(c.gone)
	c.stdout.ownerGone()
	c.stderr.ownerGone()
}

// abandon ends a child that nobody waits for any more.
func (c *child) abandon(started <-chan error) {
	if <-started == nil {
		c.kill()
		<-c.gone
		c.kill() // those it left behind
	}
	c.closePipes()
}

func (c *child) closePipes() {
	for _, f := range c.theirs {
		_ = f.Close()
	}
	_ = c.stdin.Close()
	_ = c.stdout.Close()
	_ = c.stderr.Close()
}

func (c *child) pid() int               { return c.cmd.Process.Pid }
func (c *child) ended() <-chan struct{} { return c.gone }
func (c *child) state() (State, error)  { return c.end, nil }
func (c *child) name() []string         { return c.cmd.Args }
