package bridge

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/peerwright/peerwright/bridge/mcptools"
)

// toolMetrics count the calls of tools.
type toolMetrics struct {
	calls   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	counted sync.Map // counters by series: to find one by its labels is the dearer part
	timed   sync.Map // observers of durations by server
}

// toolSeries are the labels of a counter of calls.
type toolSeries struct{ server, tool, outcome string }

// counter returns the counter of a series. There are as many as tools and outcomes.
func (m *toolMetrics) counter(of toolSeries) prometheus.Counter {
	if c, ok := m.counted.Load(of); ok {
		return c.(prometheus.Counter) //nolint:forcetypeassert // nothing else is kept there
	}
	c := m.calls.WithLabelValues(of.server, of.tool, of.outcome)
	m.counted.Store(of, c)
	return c
}

func (m *toolMetrics) duration(server string) prometheus.Observer {
	if o, ok := m.timed.Load(server); ok {
		return o.(prometheus.Observer) //nolint:forcetypeassert // nothing else is kept there
	}
	o := m.seconds.WithLabelValues(server)
	m.timed.Store(server, o)
	return o
}

func newToolMetrics(registry *prometheus.Registry) (*toolMetrics, error) {
	const space, part = "peerwright", "bridge"
	m := &toolMetrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: space, Subsystem: part, Name: "tool_calls_total",
			Help: "Calls of tools by what came of them: ok, replayed, or the class of the failure.",
		}, []string{"server", "tool", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: space, Subsystem: part, Name: "tool_call_duration_seconds",
			Help:    "From the call to its outcome, all attempts included.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 18),
		}, []string{"server"}),
	}
	for _, c := range []prometheus.Collector{m.calls, m.seconds} {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *toolMetrics) see(call mcptools.Made) {
	outcome := "ok"
	switch {
	case call.Class != "":
		outcome = string(call.Class)
	case call.Replayed:
		outcome = "replayed"
	}
	m.counter(toolSeries{call.Server, call.Tool, outcome}).Inc()
	m.duration(call.Server).Observe(call.Took.Seconds())
}
