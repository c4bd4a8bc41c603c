package stdio

import (
	"testing"
	"testing/synctest"
	"time"
)

// fake is a process that ends a while after each thing that is done to it, or not
// at all where that is 0.
type fake struct {
	gone             chan struct{}
	onStdin, onTerm  time.Duration
	left, onTermLeft bool // it has a child; which ends on SIGTERM
	killed           bool
}

func (f *fake) end(after time.Duration) {
	if after > 0 {
		time.AfterFunc(after, func() { close(f.gone) })
	}
}

func (f *fake) ended() <-chan struct{} { return f.gone }
func (f *fake) name() []string         { return nil }
func (f *fake) closeStdin()            { f.end(f.onStdin) }

func (f *fake) state() (State, error) {
	if f.killed {
		return State{true, 137, "killed"}, nil
	}
	return State{Ended: true}, nil
}

func (f *fake) empty() bool {
	select {
	case <-f.gone:
		return !f.left
	default:
		return false
	}
}

func (f *fake) terminate() {
	f.left = f.left && !f.onTermLeft
	f.end(f.onTerm)
}

func (f *fake) kill() {
	f.left = false
	select {
	case <-f.gone:
	default:
		f.killed = true
		close(f.gone)
	}
}

func TestLadder(t *testing.T) {
	const grace, soon, late = 2 * time.Second, time.Second, 3 * time.Second
	clean, killed := State{Ended: true}, State{true, 137, "killed"}
	for _, tc := range []struct {
		name  string
		fake  fake
		ended bool // before anything was done
		hurry bool
		want  ExitInfo
		took  time.Duration
	}{
		{name: "ended by itself", ended: true, want: ExitInfo{RungSelf, clean, false}},
		{name: "ends on EOF", fake: fake{onStdin: soon}, want: ExitInfo{RungStdin, clean, false}, took: soon},
		{name: "ends on SIGTERM", fake: fake{onTerm: soon}, want: ExitInfo{RungTerm, clean, false}, took: grace + soon},
		{name: "ends on SIGKILL", want: ExitInfo{RungKill, killed, false}, took: 2 * grace},
		{name: "late on EOF", fake: fake{onStdin: late}, want: ExitInfo{RungTerm, clean, false}, took: late},
		{name: "no time", hurry: true, want: ExitInfo{RungKill, killed, false}},
		{
			name: "leaves one that ends on SIGTERM", fake: fake{onStdin: soon, left: true, onTermLeft: true},
			want: ExitInfo{RungStdin, clean, true}, took: grace,
		},
		{
			name: "leaves a stubborn one", fake: fake{left: true}, ended: true,
			want: ExitInfo{RungSelf, clean, true}, took: 2 * grace,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := tc.fake
				p.gone = make(chan struct{})
				hurry := make(chan struct{})
				if tc.ended {
					close(p.gone)
				}
				if tc.hurry {
					close(hurry)
				}
				start := time.Now()
				got := ladder{process: &p, closeStdin: p.closeStdin, grace: grace, hurry: hurry}.climb()
				if got != tc.want {
					t.Errorf("climb = %+v, want %+v", got, tc.want)
				}
				if took := time.Since(start); took != tc.took {
					t.Errorf("took %v, want %v", took, tc.took)
				}
			})
		})
	}
}
