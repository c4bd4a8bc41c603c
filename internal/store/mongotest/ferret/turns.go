package main

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
)

// oneAtATime takes connections and hands each message on to the server behind, one of all
// connections at a time.
func oneAtATime(listener net.Listener, behind string) error {
	var turn sync.Mutex
	for {
		client, err := listener.Accept()
		if err != nil {
			return err
		}
		server, err := net.Dial("tcp", behind)
		if err != nil {
			return errors.Join(err, client.Close())
		}
		go func() {
			defer client.Close()
			defer server.Close()
			for exchange(client, server, &turn) == nil {
			}
		}()
	}
}

// exchange hands one message on, and its answer back.
func exchange(client, server net.Conn, turn *sync.Mutex) error {
	question, err := message(client)
	if err != nil {
		return err
	}
	answer, err := ask(server, question, turn)
	if err != nil {
		return err
	}
	_, err = client.Write(answer)
	return err
}

func ask(server net.Conn, question []byte, turn *sync.Mutex) ([]byte, error) {
	turn.Lock()
	defer turn.Unlock()
	if _, err := server.Write(question); err != nil {
		return nil, err
	}
	return message(server)
}

// message reads one message, which begins with its length.
//
// https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
func message(r io.Reader) ([]byte, error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint32(head)
	if length < 16 || length > 64<<20 {
		return nil, errors.New("no message has that length")
	}
	whole := append(head, make([]byte, length-4)...)
	_, err := io.ReadFull(r, whole[4:])
	return whole, err
}
