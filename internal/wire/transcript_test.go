package wire

import (
	"bytes"
	"testing"
	"time"
)

func ofSize(n int) Frame { return Frame{Dir: In, Kind: FrameMessage, Data: make([]byte, n)} }

func TestABudgetIsSharedAndSpentOnce(t *testing.T) {
	spent := make(chan struct{}, 10)
	b := NewBudget(10_000, func() { spent <- struct{}{} })
	one, two := NewTranscript(time.Now).Within(b), NewTranscript(time.Now).Within(b)
	one.See(ofSize(4000))
	two.See(ofSize(4000))
	if b.Spent() || one.Len() != 1 || two.Len() != 1 {
		t.Fatalf("too soon: kept %d and %d", one.Len(), two.Len())
	}
	one.See(ofSize(4000))
	<-spent
	for range 3 { // however small: a transcript has no holes
		two.See(ofSize(1))
	}
	if !b.Spent() || one.Len() != 1 || two.Len() != 1 {
		t.Errorf("kept %d and %d", one.Len(), two.Len())
	}
	if len(spent) > 0 {
		t.Error("told twice")
	}
}

func TestEveryPartOfAFrameCosts(t *testing.T) {
	big := string(make([]byte, 5000))
	for name, f := range map[string]Frame{
		"header": {Header: map[string][]string{"A": {big}}}, "event": {Event: &Event{Data: []byte(big)}},
		"url": {URL: big}, "note": {Note: big}, "nothing": {},
	} {
		if got := cost(f); got < 5000 && name != "nothing" || got < 100 {
			t.Errorf("%s costs %d", name, got)
		}
	}
}

// A server that logs without end is no reason to end the run, nor to fill the memory.
func TestStderrIsKeptUpToABound(t *testing.T) {
	tr := NewTranscript(time.Now)
	for range 10_000 {
		tr.See(Frame{Dir: In, Kind: FrameStderr, Data: bytes.Repeat([]byte("e"), 1000)})
	}
	kept := tr.Len()
	tr.See(ofSize(1))
	if kept < 100 || kept > 2000 || tr.Len() != kept+1 {
		t.Errorf("%d lines kept, then %d frames", kept, tr.Len())
	}
}
