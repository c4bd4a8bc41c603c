package bridge

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
)

// serverMetrics tell how it stands with the MCP servers, when they are asked for.
type serverMetrics struct {
	servers                             []*upstream.Upstream
	starts, inFlight, waiting, sessions *prometheus.Desc
	phase                               *prometheus.Desc
}

func newServerMetrics(servers []*upstream.Upstream) *serverMetrics {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(prometheus.BuildFQName("peerwright", "bridge", "server_"+name), help, append([]string{"server"}, labels...), nil)
	}
	return &serverMetrics{
		servers:  servers,
		starts:   describe("starts_total", "How often the server was started or reached, under the bridge's own credential."),
		inFlight: describe("calls_in_flight", "Calls under way."),
		waiting:  describe("calls_waiting", "Calls that wait for their turn."),
		sessions: describe("caller_sessions", "Callers with a credential of their own who have a session."),
		phase:    describe("phase", "1 for the phase that the server is in: idle, starting, ready, failed or closed.", "phase"),
	}
}

// Describe implements prometheus.Collector.
func (m *serverMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.starts, m.inFlight, m.waiting, m.sessions, m.phase} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m *serverMetrics) Collect(to chan<- prometheus.Metric) {
	for _, u := range m.servers {
		st := u.State()
		to <- prometheus.MustNewConstMetric(m.starts, prometheus.CounterValue, float64(st.Starts), u.ID())
		to <- prometheus.MustNewConstMetric(m.inFlight, prometheus.GaugeValue, float64(st.InFlight), u.ID())
		to <- prometheus.MustNewConstMetric(m.waiting, prometheus.GaugeValue, float64(st.Waiting), u.ID())
		to <- prometheus.MustNewConstMetric(m.sessions, prometheus.GaugeValue, float64(st.Sessions), u.ID())
		for _, phase := range []upstream.Phase{upstream.Idle, upstream.Starting, upstream.Ready, upstream.Failed, upstream.Closed} {
			value := 0.0
			if st.Phase == phase {
				value = 1
			}
			to <- prometheus.MustNewConstMetric(m.phase, prometheus.GaugeValue, value, u.ID(), string(phase))
		}
	}
}
