package transport

import (
	"fmt"
	"net/http"
	"strings"
)

// Uncoded is what the Accept-Encoding header of a request says whose answer is read as
// it comes.
//
// https://www.rfc-editor.org/rfc/rfc9110#name-accept-encoding
const Uncoded = "identity"

// CheckCoding fails when a success has a body in a coding, which nobody asked for who
// said Uncoded. What a refusal says in its body matters less than the refusal.
func CheckCoding(status int, head http.Header) error {
	coding := head.Get("Content-Encoding")
	if status/100 != 2 || coding == "" || strings.EqualFold(coding, Uncoded) {
		return nil
	}
	return fmt.Errorf("the answer has the Content-Encoding %q, although only %s was asked for", coding, Uncoded)
}
