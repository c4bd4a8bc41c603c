package a2a

import "github.com/peerwright/peerwright/internal/transport/a2ahttp"

// shape is what a version says of one object: enough to judge by, not the whole.
// Members that are not named here may be anything, for unknown ones are to be
// ignored (A2A 1.0, section 5.7).
type shape struct {
	required []string
	oneOf    []string         // exactly one of these is there
	byKind   map[string]shape // what else holds by the member kind (before 1.0)
	members  map[string]member
}

// member is what a member holds. All of it is optional.
type member struct {
	shape    string // an object of that shape
	many     bool   // an array of them
	notEmpty bool   // with an element in it
	words    []string
	instant  bool // a timestamp
	snake    string
}

func one(shape string) member      { return member{shape: shape} }
func many(shape string) member     { return member{shape: shape, many: true} }
func word(words ...string) member  { return member{words: words} }
func manyOf(shape string) member   { return member{shape: shape, many: true, notEmpty: true} }
func instant() member              { return member{instant: true} }
func anything(snake string) member { return member{snake: snake} }

// shapes returns the shapes of a dialect; nil where the objects are not known well
// enough, as over HTTP+JSON before 1.0.
func (d dialect) shapes() map[string]shape {
	switch {
	case d.version == a2ahttp.V10:
		return shapes10()
	case d.binding == a2ahttp.JSONRPC:
		return shapes03()
	}
	return nil
}

// shapes10 are the objects of 1.0: the field behaviour and the oneofs of its protobuf
// definition, in JSON names.
//
// https://github.com/a2aproject/A2A/blob/v1.0.1/specification/a2a.proto
func shapes10() map[string]shape {
	return map[string]shape{
		"Task": {required: []string{"id", "status"}, members: map[string]member{
			"contextId": anything("context_id"), "status": one("TaskStatus"), "artifacts": many("Artifact"), "history": many("Message"),
		}},
		"TaskStatus": {required: []string{"state"}, members: map[string]member{
			"state": word("TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED",
				"TASK_STATE_INPUT_REQUIRED", "TASK_STATE_REJECTED", "TASK_STATE_AUTH_REQUIRED", "TASK_STATE_UNSPECIFIED"),
			"message": one("Message"), "timestamp": instant(),
		}},
		"Message": {required: []string{"messageId", "role", "parts"}, members: map[string]member{
			"messageId": anything("message_id"), "contextId": anything("context_id"), "taskId": anything("task_id"),
			"role": word("ROLE_USER", "ROLE_AGENT", "ROLE_UNSPECIFIED"), "parts": manyOf("Part"),
			"referenceTaskIds": anything("reference_task_ids"),
		}},
		"Part": {oneOf: []string{"text", "raw", "url", "data"}, members: map[string]member{"mediaType": anything("media_type")}},
		"Artifact": {required: []string{"artifactId", "parts"}, members: map[string]member{
			"artifactId": anything("artifact_id"), "parts": manyOf("Part"),
		}},
		"StatusUpdate": {required: []string{"taskId", "contextId", "status"}, members: map[string]member{
			"taskId": anything("task_id"), "contextId": anything("context_id"), "status": one("TaskStatus"),
		}},
		"ArtifactUpdate": {required: []string{"taskId", "contextId", "artifact"}, members: map[string]member{
			"taskId": anything("task_id"), "contextId": anything("context_id"), "artifact": one("Artifact"), "lastChunk": anything("last_chunk"),
		}},
		"TaskList": {members: map[string]member{
			"tasks": many("Task"), "nextPageToken": anything("next_page_token"), "pageSize": anything("page_size"), "totalSize": anything("total_size"),
		}},
		"PushConfig":     {required: []string{"url"}, members: map[string]member{"taskId": anything("task_id"), "authentication": one("Authentication")}},
		"Authentication": {required: []string{"scheme"}},
		"AgentCard": {
			required: []string{"name", "description", "supportedInterfaces", "version", "capabilities", "defaultInputModes", "defaultOutputModes", "skills"},
			members: map[string]member{
				"supportedInterfaces": many("AgentInterface"), "skills": many("AgentSkill"), "provider": one("AgentProvider"),
				"signatures": many("AgentCardSignature"),
			},
		},
		"AgentInterface":     {required: []string{"url", "protocolBinding", "protocolVersion"}},
		"AgentSkill":         {required: []string{"id", "name", "description", "tags"}},
		"AgentProvider":      {required: []string{"url", "organization"}},
		"AgentCardSignature": {required: []string{"protected", "signature"}},
	}
}

// shapes03 are the objects of the JSON-RPC binding of 0.2 and 0.3.
//
// https://a2a-protocol.org/v0.3.0/specification/#6-protocol-data-objects
func shapes03() map[string]shape {
	return map[string]shape{
		"Task": {required: []string{"kind", "id", "contextId", "status"}, members: map[string]member{
			"kind": word("task"), "status": one("TaskStatus"), "artifacts": many("Artifact"), "history": many("Message"),
		}},
		"TaskStatus": {required: []string{"state"}, members: map[string]member{
			"state":   word("submitted", "working", "input-required", "completed", "canceled", "failed", "rejected", "auth-required", "unknown"),
			"message": one("Message"),
		}},
		"Message": {required: []string{"kind", "messageId", "role", "parts"}, members: map[string]member{
			"kind": word("message"), "role": word("user", "agent"), "parts": many("Part"),
		}},
		"Part": {required: []string{"kind"}, members: map[string]member{"kind": word("text", "file", "data")}, byKind: map[string]shape{
			"text": {required: []string{"text"}},
			"file": {required: []string{"file"}, members: map[string]member{"file": one("File")}},
			"data": {required: []string{"data"}},
		}},
		"File":     {oneOf: []string{"bytes", "uri"}},
		"Artifact": {required: []string{"artifactId", "parts"}, members: map[string]member{"parts": many("Part")}},
		"StatusUpdate": {required: []string{"kind", "taskId", "contextId", "status", "final"}, members: map[string]member{
			"kind": word("status-update"), "status": one("TaskStatus"),
		}},
		"ArtifactUpdate": {required: []string{"kind", "taskId", "contextId", "artifact"}, members: map[string]member{
			"kind": word("artifact-update"), "artifact": one("Artifact"),
		}},
		"AgentCard": {
			required: []string{"name", "description", "url", "version", "capabilities", "defaultInputModes", "defaultOutputModes", "skills"},
			members: map[string]member{
				"skills": many("AgentSkill"), "provider": one("AgentProvider"), "additionalInterfaces": many("AgentInterface"),
			},
		},
		"AgentInterface": {required: []string{"url", "transport"}},
		"AgentSkill":     {required: []string{"id", "name", "description", "tags"}},
		"AgentProvider":  {required: []string{"url", "organization"}},
	}
}
