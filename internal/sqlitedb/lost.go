package sqlitedb

import (
	"fmt"
	"io/fs"
	"os"
)

// watch is where the file was when it was opened. A file that is removed or replaced takes
// rows all the same, for as long as it is open, and nobody ever sees them. The zero watch
// sees nothing.
type watch struct {
	path string
	file fs.FileInfo
}

func watchOf(path string) (watch, error) {
	info, err := os.Stat(path)
	if err != nil {
		return watch{}, fmt.Errorf("finding the file: %w", err)
	}
	return watch{path, info}, nil
}

// Lost returns an error when the file does not stand any more where it was opened: nothing is
// written then, until it is back. A database that is read only is never lost.
func (db *DB) Lost() error { return db.watch.lost() }

// lost costs a microsecond or two, and a commit a thousand times that.
func (w watch) lost() error {
	if w.file == nil {
		return nil
	}
	now, err := os.Stat(w.path)
	if err == nil && os.SameFile(now, w.file) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("%s: another file stands there", w.path)
	}
	return fmt.Errorf("the database was taken away while it was open: %w; put it back, or start anew", err)
}
