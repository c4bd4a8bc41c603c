package sqlitedb

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver, see docs/dependencies.md
)

const (
	driver = "sqlite"
	// busyMillis is how long a connection waits for another process.
	busyMillis = 10_000
)

// place makes the folder and the file, and returns the absolute path. SQLite gives its
// other files the mode of the database, so this one decides for all.
func place(path string, readOnly bool) (string, error) {
	if path == "" || strings.Contains(path, ":memory:") {
		return "", errors.New("a database needs a path of a file")
	}
	name, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if readOnly {
		_, err := os.Stat(name)
		return name, err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", err
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return name, nil
	}
	if err != nil {
		return "", err
	}
	return name, file.Close()
}

// source is the data source name. Every connection of a pool is opened by it, so what a
// connection needs stands in it.
func source(name, synchronous string, readOnly bool) string {
	q := url.Values{"_txlock": {"immediate"}}
	q.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", busyMillis))
	q.Add("_pragma", "synchronous("+synchronous+")")
	q.Add("_pragma", "foreign_keys(1)")
	if readOnly {
		q.Set("_txlock", "deferred")
		q.Add("_pragma", "query_only(1)")
		q.Set("mode", "ro")
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(name), RawQuery: q.Encode()}
	return u.String()
}

func synchronous(mode string) (string, error) {
	switch mode = strings.ToUpper(mode); mode {
	case "":
		return "FULL", nil
	case "FULL", "NORMAL":
		return mode, nil
	}
	return "", fmt.Errorf("synchronous is FULL or NORMAL, not %q", mode)
}
