package chatpeer

import (
	"fmt"
	"maps"
	"net/http"
)

// answer writes a message as a document or as a stream.
func (p *Peer) answer(w http.ResponseWriter, q request, message object, finish string, extra object) {
	head := object{"id": fmt.Sprintf("chatcmpl-%d", p.ids.Add(1)), "created": 1700000000, "model": q.Model}
	if p.options.Loose {
		head = with(head, object{"error": nil, "x_known_to_nobody": object{"n": 1.5}})
	}
	usage := object{"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
	if !q.Stream {
		body := with(head, extra, object{"object": "chat.completion", "choices": []any{
			object{"index": 0, "message": message, "finish_reason": finish},
		}})
		if !p.options.NoUsage {
			body["usage"] = usage
		}
		write(w, 200, body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := p.sender(w)
	chunk := func(choices []any, more object) {
		send(text(with(head, more, object{"object": "chat.completion.chunk", "choices": choices})))
	}
	choice := func(delta object, finish any) []any {
		return []any{object{"index": 0, "delta": delta, "finish_reason": finish}}
	}
	chunk(choice(object{"role": "assistant"}, nil), nil)
	delta := maps.Clone(message)
	delete(delta, "role")
	chunk(choice(delta, nil), nil)
	chunk(choice(object{}, finish), extra)
	if q.StreamOptions.IncludeUsage && !p.options.NoUsage {
		chunk([]any{}, object{"usage": usage})
	}
	send("[DONE]")
}

// sender writes events.
func (p *Peer) sender(w http.ResponseWriter) func(data string) {
	form := "data: %s\n\n"
	if p.options.Loose {
		form = ": keep-alive\r\n\r\ndata:%s\r\n\r\n"
	}
	return func(data string) {
		_, _ = fmt.Fprintf(w, form, data) // a client that is gone needs no answer
	}
}

func with(all ...object) object {
	out := object{}
	for _, o := range all {
		maps.Copy(out, o)
	}
	return out
}
