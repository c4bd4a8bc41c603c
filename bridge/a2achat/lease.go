package a2achat

import (
	"context"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

// The lease of a first turn. A bridge that dies holds up the others for its length.
const (
	leaseTime  = 15 * time.Second
	leaseRenew = leaseTime / 3
	leaseAsk   = 20 * time.Millisecond // until it is asked for again; twice as long each time
	leaseMost  = 500 * time.Millisecond
)

func leaseName(key store.SessionKey) string {
	return "first turn: " + key.Agent + ": " + key.Conversation
}

// lease waits until no other bridge is at the first turn of the conversation, and looks
// up whether it has a context now. The lease is held, and renewed, until release is
// called; there is nothing to release beside a context or an error. A store that fails
// holds up nobody.
func (x *session) lease(ctx context.Context) (release func(), err error) {
	nothing := func() {}
	for ask := leaseAsk; ; ask = min(2*ask, leaseMost) {
		held, err := x.all.acquire(ctx, x.key)
		known := x.look(ctx)
		switch {
		case held && known:
			x.all.release(x.key)
			return nothing, nil
		case held:
			return x.all.renew(x.key), nil
		case known:
			return nothing, nil
		case ctx.Err() != nil:
			return nothing, context.Cause(ctx)
		case err != nil:
			x.all.failed("waiting for the first turn of a conversation", x.key, err)
			return nothing, nil
		}
		select {
		case <-time.After(ask):
		case <-ctx.Done():
			return nothing, context.Cause(ctx)
		}
	}
}

func (s *sessions) acquire(ctx context.Context, key store.SessionKey) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return s.store.Acquire(ctx, leaseName(key), s.owner, leaseTime)
}

// renew renews the lease until the returned function releases it.
func (s *sessions) renew(key store.SessionKey) (release func()) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(leaseRenew)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := s.store.Renew(ctx, leaseName(key), s.owner, leaseTime); err != nil && ctx.Err() == nil {
				s.failed("holding the first turn of a conversation", key, err)
			}
		}
	}()
	return func() {
		stop()
		<-done
		s.release(key)
	}
}

func (s *sessions) release(key store.SessionKey) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	if err := s.store.Release(ctx, leaseName(key), s.owner); err != nil {
		s.failed("ending the first turn of a conversation", key, err)
	}
}
