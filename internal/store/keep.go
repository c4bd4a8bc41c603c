//go:build keep

package store

import (
	_ "github.com/google/jsonschema-go/jsonschema"
	_ "github.com/ncruces/go-sqlite3/driver"
	_ "github.com/openai/openai-go/v3"
	_ "github.com/prometheus/client_golang/prometheus"
	_ "github.com/prometheus/client_golang/prometheus/promhttp"
	_ "go.mongodb.org/mongo-driver/v2/mongo"
	_ "modernc.org/sqlite"
)
