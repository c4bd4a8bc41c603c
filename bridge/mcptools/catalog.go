package mcptools

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools/functions"
	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
)

// catalog is what the servers offer to one credential.
type catalog struct {
	*functions.Catalog
	versions []int // of the listings that it is made of; -1 for a server whose list could not be had
	used     time.Time
	missing  []error // why lists could not be had
	problems []string
}

// catalogs keeps the last catalogue of each credential, for a schema is compiled once.
type catalogs struct {
	mu   sync.Mutex
	kept map[digest]*catalog

	checked map[digest]bool // digests of lists whose schemas were compiled
}

// digest stands for a credential, so that this itself is in one place only.
type digest [sha256.Size]byte

// maxCatalogs is how many credentials are served without making their catalogue anew.
const maxCatalogs = 100

// find returns the tool of that name, and the catalogue that it was looked for in. Where
// there are several servers it waits for none that has it not: a function is called by
// its server, so that the lists of the others change nothing.
func (b *Backend) find(ctx context.Context, c upstream.Credential, name string) (functions.Tool, bool, *catalog) {
	if len(b.o.Upstreams) > 1 {
		if tool, have, ok := b.findListed(ctx, c, name); ok {
			return tool, true, have
		}
	}
	all := b.catalog(ctx, c, 0)
	tool, ok := all.Find(name)
	return tool, ok, all
}

// findListed looks for the tool in the lists that are there, and again each time that one
// more is, until all are.
func (b *Backend) findListed(ctx context.Context, c upstream.Credential, name string) (functions.Tool, *catalog, bool) {
	now, cancel := context.WithCancel(ctx)
	cancel() // waits for nothing
	var listed chan struct{}
	for range 1 + len(b.o.Upstreams) {
		have := b.catalog(now, c, 0)
		if tool, ok := have.Find(name); ok && tool.Function == name {
			return tool, have, true
		}
		if listed == nil {
			listed = b.listed(ctx, c)
			listed <- struct{}{} // for this round, in which it was not waited
		}
		<-listed
	}
	return functions.Tool{}, nil, false
}

// listed tells of each server that it was listed, or could not be.
func (b *Backend) listed(ctx context.Context, c upstream.Credential) chan struct{} {
	listed := make(chan struct{}, 1+len(b.o.Upstreams))
	for _, u := range b.o.Upstreams {
		go func() {
			_, _ = u.Tools(ctx, c, 0) // the catalogue tells what came of it
			listed <- struct{}{}
		}()
	}
	return listed
}

// catalog returns what the servers offer, no older than maxAge; 0 takes any age. A server
// whose list cannot be had before the context ends is missing in it.
func (b *Backend) catalog(ctx context.Context, c upstream.Credential, maxAge time.Duration) *catalog {
	listings, missing := b.listings(ctx, c, maxAge)
	versions := make([]int, len(listings))
	for i, l := range listings {
		versions[i] = l.Version
	}
	key := digest(sha256.Sum256([]byte(c)))
	b.catalogs.mu.Lock()
	defer b.catalogs.mu.Unlock()
	kept := b.catalogs.kept[key]
	if kept == nil || !slices.Equal(kept.versions, versions) {
		kept = b.build(listings, versions)
		b.catalogs.keep(key, kept)
	}
	kept.used = b.o.Now()
	now := *kept
	now.missing = missing
	return &now
}

func (c *catalogs) keep(key digest, made *catalog) {
	if c.kept == nil {
		c.kept = map[digest]*catalog{}
	}
	if _, there := c.kept[key]; !there && len(c.kept) >= maxCatalogs {
		var oldest digest
		var found *catalog
		for name, one := range c.kept {
			if found == nil || one.used.Before(found.used) {
				oldest, found = name, one
			}
		}
		delete(c.kept, oldest)
	}
	c.kept[key] = made
}

// listings asks all servers at once.
func (b *Backend) listings(ctx context.Context, c upstream.Credential, maxAge time.Duration) ([]upstream.Listing, []error) {
	listings := make([]upstream.Listing, len(b.o.Upstreams))
	failed := make([]error, len(b.o.Upstreams))
	ask := func(i int) {
		if listings[i], failed[i] = b.o.Upstreams[i].Tools(ctx, c, maxAge); failed[i] != nil {
			listings[i].Version = -1
		}
	}
	if len(b.o.Upstreams) == 1 || ctx.Err() != nil { // there is nothing to wait for
		for i := range b.o.Upstreams {
			ask(i)
		}
	} else {
		var all sync.WaitGroup
		for i := range b.o.Upstreams {
			all.Go(func() { ask(i) })
		}
		all.Wait()
	}
	return listings, slices.DeleteFunc(failed, func(err error) bool { return err == nil })
}

func (b *Backend) build(listings []upstream.Listing, versions []int) *catalog {
	servers := make([]functions.Listing, len(listings))
	made := &catalog{versions: versions}
	for i, l := range listings {
		id := b.o.Upstreams[i].ID()
		servers[i] = functions.Listing{Server: id, Tools: l.Tools}
		for _, p := range l.Problems {
			made.problems = append(made.problems, id+": "+p)
		}
	}
	var problems []functions.Problem
	made.Catalog, problems = functions.Build(servers)
	for _, p := range problems {
		made.problems = append(made.problems, p.String())
	}
	for _, p := range made.problems {
		b.o.Log.Warn(listProblem, "problem", p)
	}
	b.checks.Go(func() { b.checkSchemas(made.Catalog) })
	return made
}

const listProblem = "a list of tools has a problem"

// checkSchemas compiles the schemas before a call wants them, and logs which cannot be used.
// Callers are often given the same list, of which one is enough.
func (b *Backend) checkSchemas(c *functions.Catalog) {
	if !b.catalogs.unchecked(c) {
		return
	}
	for _, p := range c.Check() {
		b.o.Log.Warn(listProblem, "problem", p.String())
	}
}

// unchecked tells whether no list of the same tools was checked before.
func (c *catalogs) unchecked(of *functions.Catalog) bool {
	h := sha256.New()
	for _, t := range of.Tools() {
		h.Write(fmt.Appendf(nil, "%d %q ", len(t.Raw), t.Server)) // a hash never fails
		h.Write(t.Raw)
	}
	key := digest(h.Sum(nil))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.checked[key] {
		return false
	}
	if c.checked == nil || len(c.checked) >= maxCatalogs {
		c.checked = map[digest]bool{}
	}
	c.checked[key] = true
	return true
}

// upstream returns the server with that id.
func (b *Backend) upstream(id string) *upstream.Upstream {
	for _, u := range b.o.Upstreams {
		if u.ID() == id {
			return u
		}
	}
	return nil
}
