package a2achat

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics count turns. The methods of nil do nothing.
type metrics struct {
	turns    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	inFlight *prometheus.GaugeVec
}

// fastest is the first bound of the durations, 5 ms. Each is twice the one before, so
// that they reach to about 20 minutes.
const (
	fastest = 0.005
	bounds  = 18
)

// newMetrics returns metrics in the registry, nil without one.
func newMetrics(registry *prometheus.Registry) (*metrics, error) {
	if registry == nil {
		return nil, nil
	}
	const space, part = "peerwright", "bridge"
	m := &metrics{
		turns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: space, Subsystem: part, Name: "agent_turns_total",
			Help: "Turns with agents, by the state of the task at the end, or the class of the error where there is none.",
		}, []string{"agent", "state"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: space, Subsystem: part, Name: "agent_turn_duration_seconds",
			Help:    "From the message to the end of the turn.",
			Buckets: prometheus.ExponentialBuckets(fastest, 2, bounds),
		}, []string{"agent"}),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: space, Subsystem: part, Name: "agent_turns_in_flight",
			Help: "Turns under way, those among them whose client is gone.",
		}, []string{"agent"}),
	}
	for _, c := range []prometheus.Collector{m.turns, m.seconds, m.inFlight} {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *metrics) begin(agent string) {
	if m != nil {
		m.inFlight.WithLabelValues(agent).Inc()
	}
}

func (m *metrics) end(agent, state string, took time.Duration) {
	if m == nil {
		return
	}
	m.inFlight.WithLabelValues(agent).Dec()
	m.turns.WithLabelValues(agent, state).Inc()
	m.seconds.WithLabelValues(agent).Observe(took.Seconds())
}
