package bridge

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/peerwright/peerwright/bridge/mcptools"
)

// toolMetrics count the calls of tools.
type toolMetrics struct {
	calls   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
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
	m.calls.WithLabelValues(call.Server, call.Tool, outcome).Inc()
	m.seconds.WithLabelValues(call.Server).Observe(call.Took.Seconds())
}
