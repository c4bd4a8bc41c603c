package a2ahttp

import "strings"

// The protocol versions that this package speaks, as Major.Minor. A patch never
// counts (A2A 1.0, section 3.6).
const (
	V02 = "0.2"
	V03 = "0.3"
	V10 = "1.0"
)

// The protocol bindings, as agent cards spell them. GRPC is known and not spoken.
const (
	JSONRPC  = "JSONRPC"
	HTTPJSON = "HTTP+JSON"
	GRPC     = "GRPC"
)

// MajorMinor returns the version without its patch: "0.3.0" is "0.3", "1" is "1.0",
// "" stays "".
func MajorMinor(version string) string {
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	switch {
	case version == "":
		return ""
	case len(parts) == 1:
		return parts[0] + ".0"
	}
	return parts[0] + "." + parts[1]
}

func spoken(version string) bool {
	return version == V02 || version == V03 || version == V10
}
