// Command sqlitebrowser lets a model read a SQLite database over stdio, and nothing but
// read it: the server is read-only, the tools say so, and the file is opened read-only
// besides, so that a mistake in any one of the three changes nothing.
//
//	sqlitebrowser -audit audit.db data.db
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/peerwright/peerwright/bridge/toolserver"
)

func main() {
	audit := flag.String("audit", "", "the file of the audit log")
	flag.Parse()
	s, db, err := newServer(flag.Arg(0), toolserver.Options{Audit: *audit})
	if err == nil {
		err = errors.Join(s.Stdio(context.Background()), s.Close(), db.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sqlitebrowser:", err)
		os.Exit(1)
	}
}

func newServer(file string, o toolserver.Options) (*toolserver.Server, *sql.DB, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, nil, err
	}
	address := url.URL{Scheme: "file", Opaque: url.PathEscape(file), RawQuery: "mode=ro&_pragma=query_only(1)"}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, nil, err
	}
	o.ReadOnly = true
	s, err := toolserver.New("sqlite-browser", o)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	b := browser{db}
	return s, db, errors.Join(
		toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "list_tables", Description: "Lists the tables and how they were made."}, b.tables),
		toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "query", Description: "Runs one SELECT and returns its rows.", Timeout: 10 * time.Second}, b.query),
	)
}

type browser struct{ db *sql.DB }

type table struct {
	Name string `json:"name"`
	SQL  string `json:"sql" jsonschema:"the statement that made it"`
}

func (b browser) tables(ctx context.Context, _ struct{}) ([]table, error) {
	rows, err := b.db.QueryContext(ctx, `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL ORDER BY name`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []table{}
	for rows.Next() {
		var t table
		if err := rows.Scan(&t.Name, &t.SQL); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, rows.Err()
}

// mostRows is how many rows a model is given at once.
const mostRows = 200

type queryInput struct {
	SQL string `json:"sql" jsonschema:"one SELECT statement"`
}

type queryOutput struct {
	Columns   []string `json:"columns"`
	Rows      [][]any  `json:"rows"`
	Truncated bool     `json:"truncated" jsonschema:"there are more rows than are shown"`
}

func (b browser) query(ctx context.Context, in queryInput) (queryOutput, error) {
	out := queryOutput{Columns: []string{}, Rows: [][]any{}}
	rows, err := b.db.QueryContext(ctx, in.SQL)
	if err != nil {
		return out, toolserver.Errorf(toolserver.InvalidArgs, "%w", err)
	}
	defer rows.Close()
	if out.Columns, err = rows.Columns(); err != nil {
		return out, err
	}
	for rows.Next() {
		if len(out.Rows) == mostRows {
			out.Truncated = true
			break
		}
		row := make([]any, len(out.Columns))
		places := make([]any, len(row))
		for i := range row {
			places[i] = &row[i]
		}
		if err := rows.Scan(places...); err != nil {
			return out, err
		}
		out.Rows = append(out.Rows, row)
	}
	if err := rows.Err(); err != nil {
		return out, toolserver.Errorf(toolserver.InvalidArgs, "%w", err)
	}
	return out, nil
}
