package a2achat

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"path"
	"strings"

	"github.com/peerwright/peerwright/bridge/a2achat/agent"
	"github.com/peerwright/peerwright/bridge/openai"
)

// attachment is what the kinds of parts that hold no text say, each under its own name.
//
// https://platform.openai.com/docs/api-reference/chat/create
type attachment struct {
	ImageURL json.RawMessage `json:"image_url"` // an object with url, or in some clients the address itself
	Audio    struct {
		Data   string `json:"data"`
		Format string `json:"format"`
	} `json:"input_audio"`
	File struct {
		Data string `json:"file_data"`
		Name string `json:"filename"`
		ID   string `json:"file_id"`
	} `json:"file"`
}

// read makes a part of a request into a part of a message.
func read(p openai.Part) (agent.Part, error) {
	if p.Type == "text" {
		return agent.Part{Text: p.Text}, nil
	}
	var a attachment
	if err := json.Unmarshal(p.Raw, &a); err != nil {
		return agent.Part{}, fmt.Errorf("the part is not what its type %s asks for", p.Type)
	}
	var file *agent.File
	var err error
	switch p.Type {
	case "image_url":
		file, err = image(a.ImageURL)
	case "input_audio":
		file, err = audio(a.Audio.Data, a.Audio.Format)
	case "file":
		file, err = document(a.File.Data, a.File.Name, a.File.ID)
	default:
		err = fmt.Errorf("the type %q is not known; the types are text, image_url, input_audio and file", p.Type)
	}
	return agent.Part{File: file}, err
}

// image reads an image by its address, which may be one that holds it.
func image(raw json.RawMessage) (*agent.File, error) {
	var in struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(raw, &in.URL) != nil && json.Unmarshal(raw, &in) != nil || in.URL == "" {
		return nil, errors.New("image_url.url is missing")
	}
	if isData(in.URL) {
		return fromData(in.URL)
	}
	u, err := url.Parse(in.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("image_url.url must be an address that begins with http://, https:// or data: as its scheme")
	}
	return &agent.File{URI: in.URL, MediaType: byName(path.Base(u.Path))}, nil
}

func audio(data, format string) (*agent.File, error) {
	if data == "" || format == "" {
		return nil, errors.New("input_audio asks for data and format")
	}
	kind := "audio/" + format
	if format == "mp3" {
		kind = "audio/mpeg"
	}
	return inline(data, kind)
}

// document reads a file that stands in the request. The bridge has no store of files to
// which an id could lead.
func document(data, name, id string) (*agent.File, error) {
	switch {
	case data == "" && id != "":
		return nil, errors.New("file.file_id names a file that the bridge does not have; send it in file.file_data")
	case data == "":
		return nil, errors.New("file.file_data is missing")
	}
	var file *agent.File
	var err error
	if isData(data) {
		file, err = fromData(data)
	} else {
		file, err = inline(data, byName(name))
	}
	if err == nil {
		file.Name = name
	}
	return file, err
}

// fromData reads a data URL.
//
// https://www.rfc-editor.org/rfc/rfc2397
func fromData(text string) (*agent.File, error) {
	head, body, ok := strings.Cut(text[len(dataScheme):], ",")
	if !ok {
		return nil, errors.New("the data URL has no comma, after which its data would stand")
	}
	kind, isBase64 := strings.CutSuffix(head, ";base64")
	kind = cmp.Or(kind, "text/plain")
	if isBase64 {
		return inline(body, kind)
	}
	plain, err := url.PathUnescape(body)
	if err != nil {
		return nil, errors.New("the data URL is not encoded as URLs are")
	}
	return &agent.File{MediaType: kind, Base64: base64.StdEncoding.EncodeToString([]byte(plain))}, nil
}

// inline returns a file of base64, in the alphabet that A2A has it in.
func inline(data, kind string) (*agent.File, error) {
	clean, ok := standard(data)
	if !ok {
		return nil, errors.New("the data is no base64")
	}
	return &agent.File{MediaType: kind, Base64: clean}, nil
}

const dataScheme = "data:"

func isData(text string) bool {
	return len(text) >= len(dataScheme) && strings.EqualFold(text[:len(dataScheme)], dataScheme)
}

// byName returns the media type that the name of a file ends in, "" when it says nothing.
func byName(name string) string {
	kind, _, err := mime.ParseMediaType(mime.TypeByExtension(path.Ext(name)))
	if err != nil {
		return ""
	}
	return kind
}

// standard returns base64 in the standard alphabet with its padding, and false for what
// is no base64 in any alphabet.
func standard(data string) (string, bool) {
	if _, err := base64.StdEncoding.Strict().DecodeString(data); err == nil && !strings.ContainsAny(data, "\r\n") {
		return data, true
	}
	data = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/", "\r", "", "\n", "").Replace(data), "=")
	raw, err := base64.RawStdEncoding.DecodeString(data)
	if err != nil {
		return "", false
	}
	return base64.StdEncoding.EncodeToString(raw), true
}
