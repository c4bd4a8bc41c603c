// Package functions makes the tools of MCP servers into functions as OpenAI's chat
// completions take them: names that are allowed and unique, descriptions that warn of what
// a repeated call does, schemas that are kept whole, arguments that are checked.
//
// It is pure: it opens no file and no connection, and no schema makes it do so. It imports
// errclass and wire of this module.
//
// https://platform.openai.com/docs/guides/function-calling
package functions
