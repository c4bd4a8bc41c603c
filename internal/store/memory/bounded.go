package memory

import "container/list"

// bounded is a map of at most limit entries, which weigh at most limitWeight together:
// what was put longest ago makes room.
type bounded[K comparable, V any] struct {
	limit, limitWeight int
	weigh              func(K, V) int
	weight             int
	entries            map[K]*list.Element
	order              *list.List // of entry[K, V], the oldest first
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

func newBounded[K comparable, V any](limit, limitWeight int, weigh func(K, V) int) *bounded[K, V] {
	return &bounded[K, V]{
		limit: limit, limitWeight: limitWeight, weigh: weigh,
		entries: map[K]*list.Element{}, order: list.New(),
	}
}

func (b *bounded[K, V]) get(k K) (v V, ok bool) {
	e, ok := b.entries[k]
	if ok {
		v = e.Value.(entry[K, V]).value
	}
	return v, ok
}

// put keeps the value as the newest, and alone if it weighs too much.
func (b *bounded[K, V]) put(k K, v V) {
	b.remove(k)
	b.weight += b.weigh(k, v)
	b.entries[k] = b.order.PushBack(entry[K, V]{k, v})
	for b.order.Len() > 1 && (b.order.Len() > b.limit || b.weight > b.limitWeight) {
		oldest, _, _ := b.oldest()
		b.remove(oldest)
	}
}

func (b *bounded[K, V]) remove(k K) {
	if e, ok := b.entries[k]; ok {
		b.weight -= b.weigh(k, e.Value.(entry[K, V]).value)
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

// removeIf removes the entries whose values f chooses, and returns how many.
func (b *bounded[K, V]) removeIf(f func(V) bool) (n int) {
	for k, e := range b.entries {
		if f(e.Value.(entry[K, V]).value) {
			b.remove(k)
			n++
		}
	}
	return n
}
