package a2achat

import (
	"bytes"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/peerwright/peerwright/bridge/a2achat/agent"
)

// mostInline is how much base64 is written into an answer, in bytes: the client keeps
// it in its history, and sends it with each further question.
const mostInline = 1 << 20

// render returns a part as Markdown, and whether that is a paragraph of its own. Text
// is what it is.
func render(p agent.Part) (text string, block bool) {
	switch {
	case p.File != nil:
		return file(*p.File), true
	case p.Data != nil:
		return fenced(p.Data), true
	}
	return p.Text, false
}

// fenced returns JSON as a fenced code block, as received. The fence is longer than any
// row of backticks within.
//
// https://spec.commonmark.org/0.31.2/#fenced-code-blocks
func fenced(data []byte) string {
	fence := "```"
	for bytes.Contains(data, []byte(fence)) {
		fence += "`"
	}
	return fence + "json\n" + string(data) + "\n" + fence
}

// file returns a file as a link, and an image as an image. One whose content is too
// long, or is none, is named.
func file(f agent.File) string {
	target := f.URI
	if target == "" {
		data, ok := standard(f.Base64)
		switch {
		case !ok:
			return placeholder(f, "its content is not readable")
		case len(data) > mostInline:
			return placeholder(f, fmt.Sprintf("%s, too large to be shown here", bytesOf(len(data)/4*3)))
		}
		target = dataScheme + mediaType(f) + ";base64," + data
	} else if !linkable(target) {
		return placeholder(f, "at `"+strings.ReplaceAll(target, "`", "%60")+"`")
	}
	mark := ""
	if strings.HasPrefix(mediaType(f), "image/") {
		mark = "!"
	}
	return fmt.Sprintf("%s[%s](%s)", mark, label(f), escapeTarget(target))
}

// placeholder names a file that is not shown.
func placeholder(f agent.File, why string) string {
	return fmt.Sprintf("*File %s (%s): %s.*", label(f), mediaType(f), why)
}

// mediaType returns the media type of a file, that of any bytes where it is not said or
// would break out of where it is written.
func mediaType(f agent.File) string {
	kind := f.MediaType
	if kind == "" {
		kind = byName(nameOf(f))
	}
	if kind == "" || strings.ContainsFunc(kind, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`()<>,"\[]*`, r) }) {
		return "application/octet-stream"
	}
	return kind
}

// label returns the name of a file as Markdown shows it.
func label(f agent.File) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, "\n", " ", "\r", " ").Replace(nameOf(f))
}

// nameOf returns the name of a file, or else the end of its address.
func nameOf(f agent.File) string {
	if f.Name != "" {
		return f.Name
	}
	if u, err := url.Parse(f.URI); err == nil && u.Path != "" && !strings.HasSuffix(u.Path, "/") {
		return path.Base(u.Path)
	}
	return "file"
}

// linkable tells whether a client may be given the address as a link.
func linkable(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// escapeTarget returns an address that does not end the link that it stands in.
func escapeTarget(address string) string {
	return strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "\n", "", "\r", "").Replace(address)
}

// bytesOf returns a size as people read it.
func bytesOf(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
