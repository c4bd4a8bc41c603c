package openai

import (
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/peerwright/peerwright/internal/errclass"
)

// metrics count what passes. The methods of nil do nothing.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	inFlight prometheus.Gauge
	streams  prometheus.Gauge
	in, out  prometheus.Counter
	counted  sync.Map // counters of requests by series: to find one by its labels is the dearer part
	timed    sync.Map // observers of durations by route
}

// series are the labels of a counter of requests.
type series struct {
	route  string
	status int
	class  errclass.Class
}

// fastest is the first bound of the durations: half a millisecond. Each is twice the one
// before, so that they reach to about two minutes.
const (
	fastest = 0.0005
	bounds  = 18
)

func newMetrics(registry *prometheus.Registry) (*metrics, error) {
	const space, part = "peerwright", "bridge"
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: space, Subsystem: part, Name: "requests_total",
			Help: "Requests by route, HTTP status and error class; a client that was gone before its answer counts as 499.",
		}, []string{"route", "status", "class"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: space, Subsystem: part, Name: "request_duration_seconds",
			Help:    "From the head of a request to the end of its answer.",
			Buckets: prometheus.ExponentialBuckets(fastest, 2, bounds),
		}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: space, Subsystem: part, Name: "requests_in_flight", Help: "Requests under way.",
		}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: space, Subsystem: part, Name: "streams_open", Help: "Streamed answers under way.",
		}),
	}
	bytes := prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: space, Subsystem: part, Name: "bytes_total", Help: "Bytes of bodies, received (in) and sent (out).",
	}, []string{"direction"})
	for _, c := range []prometheus.Collector{m.requests, m.seconds, m.inFlight, m.streams, bytes} {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
	}
	m.in, m.out = bytes.WithLabelValues("in"), bytes.WithLabelValues("out")
	return m, nil
}

// counter returns the counter of a series. There are as many as routes, statuses and classes.
func (m *metrics) counter(of series) prometheus.Counter {
	if c, ok := m.counted.Load(of); ok {
		return c.(prometheus.Counter) //nolint:forcetypeassert // nothing else is kept there
	}
	c := m.requests.WithLabelValues(of.route, strconv.Itoa(of.status), string(of.class))
	m.counted.Store(of, c)
	return c
}

func (m *metrics) duration(route string) prometheus.Observer {
	if o, ok := m.timed.Load(route); ok {
		return o.(prometheus.Observer) //nolint:forcetypeassert // nothing else is kept there
	}
	o := m.seconds.WithLabelValues(route)
	m.timed.Store(route, o)
	return o
}

func (m *metrics) begin() {
	if m != nil {
		m.inFlight.Inc()
	}
}

func (m *metrics) stream(change float64) {
	if m != nil {
		m.streams.Add(change)
	}
}

// end counts a request. Its route is the pattern, never the path: a client could make up
// any number of those.
func (m *metrics) end(x *exchange, now time.Time) {
	if m == nil {
		return
	}
	route := x.route
	if route == "" {
		route = "none"
	}
	m.inFlight.Dec()
	m.counter(series{route, x.status, x.class}).Inc()
	m.duration(route).Observe(now.Sub(x.start).Seconds())
	m.in.Add(float64(x.in))
	m.out.Add(float64(x.out))
}
