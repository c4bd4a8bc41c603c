package openai

import "encoding/json"

func parseMessages(raw json.RawMessage) ([]Message, error) {
	var list []Message
	err := eachOf(raw, func(value json.RawMessage) error {
		m, err := parseMessage(value)
		list = append(list, m)
		return err
	})
	if err == nil && len(list) == 0 {
		err = malformed("", "is empty. Send at least one message.")
	}
	return list, err
}

func parseMessage(raw json.RawMessage) (Message, error) {
	m := Message{Raw: raw}
	err := eachIn(raw, func(name string, value json.RawMessage) (err error) {
		switch name {
		case "role":
			m.Role, err = asText(value)
		case "content":
			m.Content, err = parseContent(value)
		case "tool_calls":
			m.ToolCalls, err = parseCalls(value)
		case "tool_call_id":
			m.ToolCallID, err = asText(value)
		}
		return err
	})
	if err == nil && m.Role == "" {
		err = malformed("role", "is missing. It says whose message it is: user, assistant, tool, system.")
	}
	return m, err
}

// parseContent reads the content of a message: a string, parts, or null.
func parseContent(raw json.RawMessage) ([]Part, error) {
	switch raw[0] {
	case 'n':
		return nil, nil
	case '"':
		s, err := asText(raw)
		return []Part{{Type: "text", Text: s, Raw: raw}}, err
	case '[':
	default:
		return nil, malformed("", "is neither a string, an array of parts, nor null.")
	}
	var parts []Part
	err := eachOf(raw, func(value json.RawMessage) error {
		p, err := parsePart(value)
		parts = append(parts, p)
		return err
	})
	return parts, err
}

func parsePart(raw json.RawMessage) (Part, error) {
	p := Part{Raw: raw}
	var text json.RawMessage
	err := eachIn(raw, func(name string, value json.RawMessage) (err error) {
		switch name {
		case "type":
			p.Type, err = asText(value)
		case "text":
			text = value
		}
		return err
	})
	switch {
	case err != nil:
	case p.Type == "":
		err = malformed("type", "is missing. It says what the part is: text, image_url, file.")
	case p.Type != "text":
	case text == nil:
		err = malformed("text", "is missing, though the part is of type text.")
	default:
		p.Text, err = asText(text)
		err = within("text", err)
	}
	return p, err
}

func parseCalls(raw json.RawMessage) ([]ToolCall, error) {
	if isNull(raw) {
		return nil, nil
	}
	var calls []ToolCall
	err := eachOf(raw, func(value json.RawMessage) error {
		c, err := parseCall(value)
		calls = append(calls, c)
		return err
	})
	return calls, err
}

func parseCall(raw json.RawMessage) (ToolCall, error) {
	c := ToolCall{Raw: raw}
	err := eachIn(raw, func(name string, value json.RawMessage) (err error) {
		switch name {
		case "id":
			c.ID, err = asText(value)
		case "type":
			c.Type, err = asText(value)
		case "idempotency_key":
			c.IdempotencyKey, err = asText(value)
		case "function":
			c.Name, c.Arguments, err = parseFunction(value)
		}
		return err
	})
	isFunction := c.Type == "" || c.Type == "function" // the call of a custom tool is the backend's to judge
	if err == nil && isFunction && c.Name == "" {
		err = malformed("function.name", "is missing. It says which tool is called.")
	}
	return c, err
}

// parseFunction reads which function is called with what. The arguments are a string
// that holds JSON; what is in it is not judged here.
func parseFunction(raw json.RawMessage) (function, arguments string, err error) {
	err = eachIn(raw, func(name string, value json.RawMessage) (err error) {
		switch name {
		case "name":
			function, err = asText(value)
		case "arguments":
			arguments, err = asText(value)
		}
		return err
	})
	return function, arguments, err
}
