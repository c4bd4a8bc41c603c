package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"
)

// link is the hash of a row; the first row of a file follows the zero link.
type link [sha256.Size]byte

func (l link) String() string { return hex.EncodeToString(l[:]) }

func parseLink(raw []byte) (link, error) {
	if len(raw) != sha256.Size {
		return link{}, fmt.Errorf("a hash has %d bytes, and this one %d", sha256.Size, len(raw))
	}
	return link(raw), nil
}

// chainFormat stands at the beginning of what is hashed, so that no other format can
// come to the same hash.
const chainFormat = "peerwright.audit/1"

// hash returns the link of the entry that follows prev. Every field has its length in
// front, so that no two entries are the same bytes.
func hash(prev link, e Entry) link {
	b := make([]byte, 0, 512+len(e.Arguments))
	b = append(b, chainFormat...)
	b = append(b, prev[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(e.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(e.At.UnixMicro()))
	b = binary.BigEndian.AppendUint64(b, uint64(e.Duration.Microseconds()))
	for _, field := range []string{
		string(e.Source), e.Server, e.Caller, e.Tool, string(e.Outcome), e.Detail, e.Correlation, string(e.Arguments),
	} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(field)))
		b = append(b, field...)
	}
	return sha256.Sum256(b)
}

// Head is a place in the chain. Noted elsewhere, it proves that nothing up to it was
// changed since.
type Head struct {
	Seq  int64  `json:"seq"`  // of the row; 0 before the first
	Hash string `json:"hash"` // in hexadecimal; all zeros before the first
}

// micros keeps a time as the file does.
func micros(t time.Time) time.Time { return time.UnixMicro(t.UnixMicro()).UTC() }
