package memory

import "container/list"

// bounded is a map of at most limit entries: what was put longest ago makes room.
type bounded[K comparable, V any] struct {
	limit   int
	entries map[K]*list.Element
	order   *list.List // of entry[K, V], the oldest first
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

func newBounded[K comparable, V any](limit int) *bounded[K, V] {
	return &bounded[K, V]{limit: limit, entries: map[K]*list.Element{}, order: list.New()}
}

func (b *bounded[K, V]) get(k K) (v V, ok bool) {
	e, ok := b.entries[k]
	if ok {
		v = e.Value.(entry[K, V]).value
	}
	return v, ok
}

// put keeps the value as the newest.
func (b *bounded[K, V]) put(k K, v V) {
	b.remove(k)
	if b.order.Len() >= b.limit {
		oldest, _, _ := b.oldest()
		b.remove(oldest)
	}
	b.entries[k] = b.order.PushBack(entry[K, V]{k, v})
}

func (b *bounded[K, V]) remove(k K) {
	if e, ok := b.entries[k]; ok {
		b.order.Remove(e)
		delete(b.entries, k)
	}
}

func (b *bounded[K, V]) oldest() (k K, v V, ok bool) {
	e := b.order.Front()
	if e == nil {
		return k, v, false
	}
	found := e.Value.(entry[K, V])
	return found.key, found.value, true
}

// each calls f with the values, the oldest first, until it returns false.
func (b *bounded[K, V]) each(f func(V) bool) {
	for e := b.order.Front(); e != nil; e = e.Next() {
		if !f(e.Value.(entry[K, V]).value) {
			return
		}
	}
}
