package a2achat

import (
	"sync"

	"github.com/peerwright/peerwright/internal/store"
)

// loose is what a conversation has come to while the store failed.
type loose struct {
	kept

	// interim is true when nobody could tell whether the conversation had a context
	// before: one that turns up in the store is the right one.
	interim bool
}

// mostLoose bounds what is remembered of conversations that could not be stored.
const mostLoose = 10_000

// unsaved remembers the newest conversations that could not be stored. Its zero value
// is empty.
type unsaved struct {
	mu    sync.Mutex
	all   map[store.SessionKey]loose
	order []store.SessionKey // the oldest first; may hold keys that were dropped
}

func (u *unsaved) get(key store.SessionKey) (loose, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	l, ok := u.all[key]
	return l, ok
}

func (u *unsaved) put(key store.SessionKey, l loose) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.all == nil {
		u.all = map[store.SessionKey]loose{}
	}
	if _, ok := u.all[key]; !ok {
		u.order = append(u.order, key)
	}
	u.all[key] = l
	for len(u.order) > mostLoose {
		delete(u.all, u.order[0])
		u.order = u.order[1:]
	}
}

func (u *unsaved) drop(key store.SessionKey) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.all, key)
	if len(u.all) == 0 {
		u.all, u.order = nil, nil
	}
}
