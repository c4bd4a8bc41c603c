package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// place is where the file was when it was opened. A file that is removed or replaced takes
// rows all the same, for as long as it is open, and nobody ever sees them. The zero place
// is not watched.
type place struct {
	path string
	file fs.FileInfo
}

func placeOf(path string) (place, error) {
	whole, err := filepath.Abs(path) // the working directory may change
	if err != nil {
		return place{}, fmt.Errorf("finding the file: %w", err)
	}
	info, err := os.Stat(whole)
	if err != nil {
		return place{}, fmt.Errorf("finding the file: %w", err)
	}
	return place{whole, info}, nil
}

// lost returns an error when the file is not there any more.
func (p place) lost() error {
	if p.file == nil {
		return nil
	}
	now, err := os.Stat(p.path)
	if err == nil && os.SameFile(now, p.file) {
		return nil
	}
	if err == nil {
		err = errors.New("another file stands there")
	}
	return fmt.Errorf("the audit log was taken away while it was open: %w; put it back, or start anew", err)
}
