package openai

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

const (
	headTime = 10 * time.Second // within which a client sends the head of its request
	idleTime = 2 * time.Minute  // after which a connection without requests is closed
	lastWord = 2 * time.Second  // for what was cut short to tell its client
)

// Serve answers on the listener until the context ends. Then it takes nothing more,
// gives what is under way Options.Drain to finish, and ends what is left: with an error
// event in a stream that has begun, with status 503 elsewhere. It closes the listener,
// and returns nil when it stopped because the context ended.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	base, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(errClosing)
	srv := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headTime,
		IdleTimeout:       idleTime,
		BaseContext:       func(net.Listener) context.Context { return base },
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	select {
	case err := <-served:
		return fmt.Errorf("serving on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	err := s.drain(srv, cut)
	if end := <-served; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	return err
}

// drain waits for what is under way, and cuts short what takes too long.
func (s *Server) drain(srv *http.Server, cut context.CancelCauseFunc) error {
	patience, cancel := context.WithTimeout(context.Background(), s.opts.Drain+lastWord)
	defer cancel()
	late := time.AfterFunc(s.opts.Drain, func() { cut(errClosing) })
	defer late.Stop()
	if err := srv.Shutdown(patience); err != nil {
		return errors.Join(fmt.Errorf("stopping: %w", err), srv.Close())
	}
	return nil
}
