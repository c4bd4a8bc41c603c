package stdio

import (
	"syscall"
	"time"
)

const (
	// settle is how long the end of one thing waits for the end of another that
	// belongs to it: the exit of a process for the end of its stdout, say.
	settle = time.Second
	// killWait is how long the system may take to end what was killed.
	killWait = 5 * time.Second
)

// process is what stands behind the streams: a child, or a function.
type process interface {
	ended() <-chan struct{} // closed when it has ended
	state() (State, error)  // how it ended, valid from then on; the error is a function's own
	empty() bool            // nothing that it started is left either
	terminate()             // asks it to end
	kill()                  // ends it
	name() []string
}

// ladder ends a process the way the specification asks for: close its stdin, wait,
// ask, wait, kill.
type ladder struct {
	process
	closeStdin func()
	grace      time.Duration
	hurry      <-chan struct{} // closed when nobody has the time to wait
}

// climb returns when nothing of the process is left, or it cannot be ended.
func (l ladder) climb() ExitInfo {
	info := ExitInfo{Rung: RungSelf}
	select {
	case <-l.ended():
	default:
		info.Rung = ""
	}
	for _, step := range []struct {
		rung  Rung
		act   func()
		grace time.Duration
		hurry <-chan struct{}
	}{
		{RungStdin, l.closeStdin, l.grace, l.hurry},
		{RungTerm, l.terminate, l.grace, l.hurry},
		{RungKill, l.kill, killWait, nil},
	} {
		info.LeftBehind = info.Rung != "" && step.rung != RungStdin
		step.act()
		if l.wait(step.grace, step.hurry) && info.Rung == "" {
			info.Rung = step.rung
		}
		if info.Rung != "" && l.empty() {
			break
		}
	}
	if info.Rung != "" {
		info.State, _ = l.state()
	}
	if info.Rung == RungKill && info.State.Signal != syscall.SIGKILL.String() {
		info.Rung = RungTerm // it was ending already, and was late
	}
	return info
}

// wait waits for the end of the process and of all that it started, and tells
// whether the process itself has ended.
func (l ladder) wait(grace time.Duration, hurry <-chan struct{}) bool {
	timeout := time.NewTimer(grace)
	defer timeout.Stop()
	select {
	case <-l.ended():
	case <-timeout.C:
		return false
	case <-hurry:
		return false
	}
	poll := time.NewTicker(5 * time.Millisecond) // orphans tell nobody of their end
	defer poll.Stop()
	for !l.empty() {
		select {
		case <-poll.C:
		case <-timeout.C:
			return true
		case <-hurry:
			return true
		}
	}
	return true
}
