package openai

import (
	"strconv"

	"github.com/peerwright/peerwright/internal/wire"
)

// appendHead appends the members that all documents of an answer begin with, and the
// brace before them.
//
// https://platform.openai.com/docs/api-reference/chat/object
func (h head) appendHead(dst []byte, object string) []byte {
	dst = append(dst, `{"id":"`...)
	dst = append(dst, h.id...)
	dst = append(dst, `","object":"`...)
	dst = append(dst, object...)
	dst = append(dst, `","created":`...)
	dst = strconv.AppendInt(dst, h.created, 10)
	dst = append(dst, `,"model":`...)
	return appendString(dst, h.model)
}

// appendCall appends one tool call; an index under 0 is left out.
func appendCall(dst []byte, index int, c ToolCall) []byte {
	dst = append(dst, '{')
	if index >= 0 {
		dst = append(dst, `"index":`...)
		dst = strconv.AppendInt(dst, int64(index), 10)
		dst = append(dst, ',')
	}
	kind := c.Type
	if kind == "" {
		kind = "function"
	}
	dst = appendString(append(dst, `"id":`...), c.ID)
	dst = appendString(append(dst, `,"type":`...), kind)
	dst = appendString(append(dst, `,"function":{"name":`...), c.Name)
	dst = appendString(append(dst, `,"arguments":`...), c.Arguments)
	return append(dst, `}}`...)
}

func appendUsage(dst []byte, u Usage) []byte {
	dst = append(dst, `,"usage":{"prompt_tokens":`...)
	dst = strconv.AppendInt(dst, u.PromptTokens, 10)
	dst = append(dst, `,"completion_tokens":`...)
	dst = strconv.AppendInt(dst, u.CompletionTokens, 10)
	dst = append(dst, `,"total_tokens":`...)
	dst = strconv.AppendInt(dst, u.TotalTokens, 10)
	return append(dst, '}')
}

func appendExtras(dst []byte, extras []wire.Member) []byte {
	for _, m := range extras {
		dst = appendString(append(dst, ','), m.Name)
		dst = append(append(dst, ':'), m.Value...)
	}
	return dst
}
