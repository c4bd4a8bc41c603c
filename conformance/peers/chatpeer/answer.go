package chatpeer

import (
	"fmt"
	"maps"
	"net/http"
)

// answer writes a message as a document or as a stream.
func (p *Peer) answer(w http.ResponseWriter, q request, message object, finish string, extra object) {
	head := object{"id": fmt.Sprintf("chatcmpl-%d", p.ids.Add(1)), "created": 1700000000, "model": q.Model}
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
	end := "\n"
	if p.options.Loose {
		end = "\r\n"
	}
	send := func(data string) {
		if p.options.Loose {
			_, _ = fmt.Fprintf(w, ": keep-alive%s%s", end, end) // as below
		}
		_, _ = fmt.Fprintf(w, "data: %s%s%s", data, end, end) // a client that is gone needs no answer
	}
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

func with(all ...object) object {
	out := object{}
	for _, o := range all {
		maps.Copy(out, o)
	}
	return out
}
