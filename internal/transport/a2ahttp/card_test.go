package a2ahttp

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	card03 = `{"name":"old","description":"d","url":"http://h/rpc","version":"2","protocolVersion":"0.3.0",
		"preferredTransport":"GRPC","additionalInterfaces":[{"url":"http://h/rpc","transport":"JSONRPC"},{"url":"http://h/rest","transport":"HTTP+JSON"}],
		"capabilities":{"streaming":true},"supportsAuthenticatedExtendedCard":true,"skills":[{"id":"s","name":"S"}]}`
	card10 = `{"name":"new","supportedInterfaces":[{"url":"http://h/1","protocolBinding":"HTTP+JSON","protocolVersion":"1.0.1","tenant":"t"}],
		"capabilities":{"pushNotifications":true,"extendedAgentCard":true,"extensions":[{"uri":"urn:x","required":true}]},"skills":[]}`
	cardBoth = `{"name":"both","supportedInterfaces":[{"url":"http://h/1","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
		"url":"http://h/0","preferredTransport":"JSONRPC","protocolVersion":"0.3"}`
)

func TestParseCard(t *testing.T) {
	for _, test := range []struct {
		name, raw string
		want      Card
	}{
		{"0.3", card03, Card{
			Name: "old", Description: "d", Version: "2", Streaming: true, ExtendedCard: true, Skills: []Skill{{"s", "S"}},
			Interfaces: []Interface{
				{URL: "http://h/rpc", Binding: GRPC, Version: V03},
				{URL: "http://h/rpc", Binding: JSONRPC, Version: V03},
				{URL: "http://h/rest", Binding: HTTPJSON, Version: V03},
			},
		}},
		{"1.0", card10, Card{
			Name: "new", PushNotifications: true, ExtendedCard: true, Skills: []Skill{}, Extensions: []Extension{{"urn:x", true}},
			Interfaces: []Interface{{URL: "http://h/1", Binding: HTTPJSON, Version: V10, Tenant: "t"}},
		}},
		{"union", cardBoth, Card{Name: "both", Interfaces: []Interface{
			{URL: "http://h/1", Binding: JSONRPC, Version: V10}, {URL: "http://h/0", Binding: JSONRPC, Version: V03},
		}}},
		{"0.2 without a version", `{"url":"http://h","protocolVersion":"","skills":null}`, Card{
			Interfaces: []Interface{{URL: "http://h", Binding: JSONRPC, Version: V03}},
		}},
		{"0.2.5", `{"url":"http://h","protocolVersion":"0.2.5"}`, Card{
			Interfaces: []Interface{{URL: "http://h", Binding: JSONRPC, Version: V02}},
		}},
		{"wrong types", `{"name":1,"capabilities":[],"skills":{},"supportedInterfaces":"x"}`, Card{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseCard([]byte(test.raw))
			if err != nil {
				t.Fatal(err)
			}
			test.want.Raw = []byte(test.raw)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseCardRefusesWhatIsNone(t *testing.T) {
	for _, raw := range []string{``, `[]`, `{}`, `{"error":"not found"}`, `<html>`} {
		if _, err := ParseCard([]byte(raw)); err == nil {
			t.Errorf("%q passed as a card", raw)
		}
	}
}

func TestPick(t *testing.T) {
	both, _ := ParseCard([]byte(cardBoth))
	old, _ := ParseCard([]byte(card03))
	for _, test := range []struct {
		name string
		card Card
		want Want
		url  string
		err  string
	}{
		{name: "the first that is spoken", card: old, url: "http://h/rpc"},
		{name: "pinned binding", card: old, want: Want{Binding: HTTPJSON}, url: "http://h/rest"},
		{name: "pinned version", card: both, want: Want{Version: V03}, url: "http://h/0"},
		{name: "the agent's order", card: both, url: "http://h/1"},
		{name: "nothing declared", card: Card{Name: "none"}, err: `the card of "none" declares none`},
		{name: "not declared", card: old, want: Want{Version: V10}, err: "version 1.0 was asked for"},
		{
			name: "a URL of another kind", err: "not an absolute http or https one",
			card: Card{Interfaces: []Interface{{URL: "h:1", Binding: JSONRPC, Version: V10}}},
		},
		{
			name: "a version to come", err: "the version is not spoken here",
			card: Card{Interfaces: []Interface{{URL: "http://h", Binding: JSONRPC, Version: "2.0"}}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.card.Pick(test.want)
			if test.err != "" {
				if !errors.Is(err, ErrNoInterface) || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q in it", err, test.err)
				}
				return
			}
			if err != nil || got.URL != test.url {
				t.Errorf("got %v, %v; want %s", got, err, test.url)
			}
		})
	}
}

func FuzzParseCard(f *testing.F) {
	for _, seed := range []string{card03, card10, cardBoth, `{"skills":[{}]}`, `{"capabilities":{"extensions":[1]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		card, err := ParseCard(raw)
		if err != nil {
			return
		}
		for _, i := range card.Interfaces {
			if i.URL == "" {
				t.Errorf("an interface without a URL in %s", raw)
			}
		}
		if i, err := card.Pick(Want{}); err == nil {
			if _, err := New(i, Config{}); err != nil {
				t.Errorf("Pick chose what New refuses: %v", err)
			}
		}
	})
}
