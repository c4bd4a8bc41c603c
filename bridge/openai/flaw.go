package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/wire"
)

// flaw is what is wrong with a request, and where. Its place grows from the inside out,
// so that a request without flaws costs no names.
type flaw struct {
	param string // such as messages[0].role; "" for the whole body
	text  string // what follows the place, or stands alone without one
}

func (f *flaw) Error() string {
	if f.param == "" {
		return f.text
	}
	return f.param + " " + f.text
}

// malformed is a flaw of the whole body, or of the member named param.
func malformed(param, format string, args ...any) *flaw {
	return &flaw{param, fmt.Sprintf(format, args...)}
}

// within says that the flaw in err, if it is one, is inside of the place.
func within(place string, err error) error {
	f, ok := errors.AsType[*flaw](err)
	if !ok {
		return err
	}
	dot := "."
	if f.param == "" || f.param[0] == '[' {
		dot = ""
	}
	return &flaw{place + dot + f.param, f.text}
}

// refused returns the flaw as the client is told of it.
func (f *flaw) refused() Failure {
	e := errclass.New(errclass.InvalidArgs, errclass.Bridge, errclass.NotRun, f.Error(), errclass.Call{})
	return Failure{Cause: e, Status: http.StatusBadRequest, Param: f.param}
}

// eachOf calls read with each element of the array in raw.
func eachOf(raw json.RawMessage, read func(value json.RawMessage) error) (err error) {
	i := 0
	isArray := wire.EachElement(raw, func(value json.RawMessage) bool {
		if err = read(value); err != nil {
			err = within("["+strconv.Itoa(i)+"]", err)
		}
		i++
		return err == nil
	})
	if !isArray {
		return malformed("", "is not an array.")
	}
	return err
}

// eachIn calls read with each member of the object in raw.
func eachIn(raw json.RawMessage, read func(name string, value json.RawMessage) error) (err error) {
	isObject := wire.EachMember(raw, func(name string, value json.RawMessage) bool {
		if err = read(name, value); err != nil {
			err = within(name, err)
		}
		return err == nil
	})
	if !isObject {
		return malformed("", "is not an object.")
	}
	return err
}
