package bridge

import (
	"github.com/peerwright/peerwright/internal/config"
)

// Load reads the configuration file: the section bridge of a peerwright.yaml, into whole
// with the other sections of the file, or a file of a2a-bridge, which has the keys of the
// section at its top; seed tells that it is one. The error names file, line, path, and
// the valid choices.
func Load(file string, whole any, section *Config) (seed bool, err error) {
	keys, err := config.Keys(file)
	if err != nil {
		return false, err
	}
	for _, key := range keys {
		if key == "agents" {
			return true, config.Load(file, section)
		}
	}
	return false, config.Load(file, whole)
}
