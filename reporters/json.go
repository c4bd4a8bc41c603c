package reporters

import (
	"encoding/json"
	"fmt"
	"io"
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
