// A small A2A agent on @a2a-js/sdk: `node a2a-agent.mjs PORT` (0 takes a free port).
// It speaks 1.0 and, beside it, 0.3, over JSON-RPC at /rpc and HTTP+JSON at /rest.
// The first word of the text says what it does: message, input, slow, fail, reject,
// data, file; anything else is a task that completes, after a moment in which it can be
// subscribed to and cancelled.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Role, TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import express from 'express';

const compat = { enabled: true };
const part = (kind, value, mediaType, filename = '') => ({ content: { $case: kind, value }, metadata: undefined, filename, mediaType });
const textPart = s => part('text', s, 'text/plain');

function cardFor(base) {
  const at = (path, protocolBinding, protocolVersion) => ({ url: base + path, protocolBinding, protocolVersion, tenant: '' });
  return {
    name: 'Node A2A peer', description: 'Answers anything.', version: '1.0.0', provider: undefined,
    supportedInterfaces: ['1.0', '0.3'].flatMap(v => [at('/rpc', 'JSONRPC', v), at('/rest', 'HTTP+JSON', v)]),
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: {}, securityRequirements: [], defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
    skills: [{ id: 'echo', name: 'Echo', description: 'Says it back.', tags: ['echo'], examples: [], inputModes: [], outputModes: [], securityRequirements: [] }],
    signatures: [],
  };
}

class Executor {
  #stopped = new Map();

  async execute(request, bus) {
    const { taskId, contextId, userMessage, task } = request;
    const stop = new AbortController();
    this.#stopped.set(taskId, stop);
    const words = userMessage.parts.map(p => (p.content?.$case === 'text' ? p.content.value : '')).join('');
    const say = (s, inTask = true) => ({ messageId: randomUUID(), contextId, taskId: inTask ? taskId : '', role: Role.ROLE_AGENT,
      parts: [textPart(s)], metadata: undefined, extensions: [], referenceTaskIds: [] });
    const status = (state, s) => ({ state, message: s ? say(s) : undefined, timestamp: new Date().toISOString() });
    const update = (state, s) => bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(state, s), metadata: undefined }));
    const artifact = (parts, append, lastChunk) => bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, append, lastChunk, metadata: undefined,
      artifact: { artifactId: 'answer', name: 'answer', description: '', parts, metadata: undefined, extensions: [] } }));
    const first = task ? '' : words.trim().split(/\s+/)[0].toLowerCase();
    try {
      if (first === 'message') return void bus.publish(AgentEvent.message(say(`You said: ${words}`, false)));
      bus.publish(AgentEvent.task({ ...(task ?? { id: taskId, contextId, artifacts: [], history: [userMessage], metadata: undefined }), status: status(TaskState.TASK_STATE_SUBMITTED) }));
      if (first === 'reject') return update(TaskState.TASK_STATE_REJECTED, 'Not for this agent.');
      update(TaskState.TASK_STATE_WORKING);
      if (first === 'fail') return update(TaskState.TASK_STATE_FAILED, 'It did not work.');
      if (first === 'input') return update(TaskState.TASK_STATE_INPUT_REQUIRED, 'What else?');
      await pause(first === 'slow' ? 2000 : 400, undefined, { signal: stop.signal });
      if (first === 'data') artifact([part('data', { answer: 42 }, 'application/json')], false, true);
      else if (first === 'file') artifact([part('raw', Buffer.from('some bytes'), 'application/octet-stream', 'bytes.bin')], false, true);
      else ['You said: ', words, '.'].forEach((s, i) => artifact([textPart(s)], i > 0, i === 2));
      update(TaskState.TASK_STATE_COMPLETED);
    } catch {
      update(TaskState.TASK_STATE_CANCELED, 'Canceled.');
    } finally {
      this.#stopped.delete(taskId);
      bus.finished();
    }
  }

  async cancelTask(taskId, bus) {
    const running = this.#stopped.get(taskId);
    if (running) return running.abort();
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId: '', status: { state: TaskState.TASK_STATE_CANCELED, message: undefined, timestamp: new Date().toISOString() }, metadata: undefined }));
    bus.finished();
  }
}

const app = express();
const server = createServer(app);
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  const base = `http://127.0.0.1:${server.address().port}`;
  const handler = new DefaultRequestHandler(cardFor(base), new InMemoryTaskStore(), new Executor());
  const common = { requestHandler: handler, userBuilder: UserBuilder.noAuthentication, legacyCompat: compat };
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: handler, legacyCompat: compat }));
  app.use('/rpc', jsonRpcHandler(common));
  app.use('/rest', restHandler(common));
  process.stderr.write(`listening ${base}\n`);
});
