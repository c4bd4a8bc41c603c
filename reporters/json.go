package reporters

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
)

// Write completes the report and writes it as JSON: two spaces of indentation, no HTML escapes, a
// newline at the end.
func Write(w io.Writer, r Report) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(Complete(r)); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// ReadReport reads a report that [Write] wrote. A document that breaks the schema, or whose counts and
// verdicts do not follow from its cases, is refused with an error that wraps [ErrInvalid].
func ReadReport(r io.Reader) (Report, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return Report{}, fmt.Errorf("read report: %w", err)
	}
	if err := Validate(text); err != nil {
		return Report{}, fmt.Errorf("read report: %w", err)
	}
	var told Report
	if err := json.Unmarshal(text, &told); err != nil {
		return Report{}, fmt.Errorf("read report: %w: %w", ErrInvalid, err)
	}
	counted := Complete(told)
	if path := firstMiscount(told, counted); path != "" {
		return Report{}, fmt.Errorf("read report: %w: %s: does not follow from the cases", ErrInvalid, path)
	}
	return counted, nil
}

// firstMiscount names the first count or verdict that differs, and is empty where none does.
func firstMiscount(told, counted Report) string {
	for i, p := range told.Peers {
		if member := peerMiscount(p, counted.Peers[i]); member != "" {
			return fmt.Sprintf("/peers/%d/%s", i, member)
		}
	}
	switch {
	case told.Summary != counted.Summary:
		return "/summary"
	case told.Verdict != counted.Verdict:
		return "/verdict"
	}
	return ""
}

func peerMiscount(told, counted Peer) string {
	switch {
	case told.Summary != counted.Summary:
		return "summary"
	case told.Levels != counted.Levels:
		return "levels"
	case !maps.Equal(told.Areas, counted.Areas):
		return "areas"
	case told.Verdict != counted.Verdict:
		return "verdict"
	}
	return ""
}
