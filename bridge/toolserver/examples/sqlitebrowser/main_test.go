package main

import (
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

func TestReadOnlyInDepth(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`CREATE TABLE books (title TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 300) INSERT INTO books SELECT 'book ' || i FROM n`); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	s, ro, err := newServer(file, toolserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ro.Close()
	call := func(tool, sql string) toolserver.Result {
		args, _ := json.Marshal(map[string]string{"sql": sql})
		if sql == "" {
			args = nil
		}
		return s.Call(t.Context(), toolserver.Call{Tool: tool, Arguments: args})
	}
	if res := call("list_tables", ""); !strings.Contains(res.Text, `"name":"books"`) {
		t.Errorf("tables: %+v", res)
	}
	if res := call("query", `SELECT count(*) AS n FROM books`); res.Text != `{"columns":["n"],"rows":[[300]],"truncated":false}` {
		t.Errorf("count: %+v", res)
	}
	if res := call("query", `SELECT title FROM books`); !strings.Contains(res.Text, `"truncated":true`) || strings.Count(res.Text, "book ") != mostRows {
		t.Errorf("many rows: %s", res.Text)
	}
	for _, statement := range []string{`DELETE FROM books`, `DROP TABLE books`, `CREATE TABLE x (y)`, `nonsense`} {
		if res := call("query", statement); res.Outcome != toolserver.Failed || res.Failure.Class != toolserver.InvalidArgs {
			t.Errorf("%s: %+v", statement, res)
		}
	}
	if res := call("query", `SELECT count(*) FROM books`); !strings.Contains(res.Text, "300") {
		t.Errorf("afterwards: %+v", res)
	}
	conformant(t, s)
}
