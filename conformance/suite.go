package conformance

// Suite is what to put a peer through.
type Suite struct {
	Cases    []Case
	Monitors []Monitor
}

// Metas lists what the suite is about, cases first.
func (s Suite) Metas() []Meta {
	metas := make([]Meta, 0, len(s.Cases)+len(s.Monitors))
	for _, c := range s.Cases {
		metas = append(metas, c.Meta)
	}
	for _, m := range s.Monitors {
		metas = append(metas, m.Meta)
	}
	return metas
}
