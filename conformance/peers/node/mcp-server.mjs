// A small MCP server on @modelcontextprotocol/server: `node mcp-server.mjs stdio`, or
// `node mcp-server.mjs PORT` for Streamable HTTP at /mcp (0 takes a free port).
// Over HTTP it serves 2026-07-28 without sessions and older revisions with them.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { McpServer, ResourceTemplate, completable, createMcpHandler, isInitializeRequest, isLegacyRequest } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { NodeStreamableHTTPServerTransport, localhostHostValidation, localhostOriginValidation, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { z } from 'zod';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';
const readOnly = { readOnlyHint: true, openWorldHint: false };
const text = s => ({ content: [{ type: 'text', text: s }] });

function addTools(server) {
  server.registerTool('add', { title: 'Add', description: 'Adds two numbers.', annotations: readOnly,
    inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
  async ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }));
  server.registerTool('motto', { description: 'Tells the motto.', annotations: readOnly }, async () => text('Measure twice.'));
  server.registerTool('steps', { description: 'Takes steps, and reports progress.', annotations: readOnly,
    inputSchema: z.object({ steps: z.number().int().min(1).max(100).default(5) }) },
  async ({ steps }, ctx) => {
    const token = ctx.mcpReq._meta?.progressToken;
    for (let i = 1; i <= steps; i++) {
      await pause(5, undefined, { signal: ctx.mcpReq.signal });
      if (token !== undefined) {
        await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, progress: i, total: steps } });
      }
    }
    return text(`took ${steps} steps`);
  });
  server.registerTool('wait', { description: 'Waits, until it is cancelled.', annotations: readOnly,
    inputSchema: z.object({ milliseconds: z.number().int().min(0).max(10000).default(1500) }) },
  async ({ milliseconds }, ctx) => {
    await pause(milliseconds, undefined, { signal: ctx.mcpReq.signal });
    return text(`waited ${milliseconds} ms`);
  });
  server.registerTool('log', { description: 'Sends log messages.', annotations: readOnly }, async ctx => {
    for (const level of ['debug', 'info', 'warning', 'error']) await ctx.mcpReq.log(level, `a word at ${level}`);
    return text('logged');
  });
  server.registerTool('fail', { description: 'Fails always.', annotations: readOnly }, async () => {
    throw new Error('this tool always fails');
  });
  server.registerTool('picture', { description: 'Shows a picture.', annotations: readOnly },
    async () => ({ content: [{ type: 'image', data: pixel, mimeType: 'image/png' }] }));
  server.registerTool('nested', { description: 'Takes nested arguments.', annotations: readOnly,
    inputSchema: z.object({ who: z.object({ name: z.string(), pace: z.enum(['slow', 'fast']).default('slow') }), tags: z.array(z.string()).max(5).optional() }) },
  async ({ who }) => text(`${who.name} is ${who.pace}`));
  server.registerTool('forget', { description: 'Forgets everything.', annotations: { readOnlyHint: false, destructiveHint: true } },
    async () => text('forgotten'));
}

function addRest(server) {
  for (const name of ['one', 'two', 'three']) {
    server.registerResource(name, `peer://texts/${name}`, { title: name, mimeType: 'text/plain' },
      async uri => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: `This is ${name}.` }] }));
  }
  server.registerResource('pixel', 'peer://pictures/pixel', { mimeType: 'image/png' },
    async uri => ({ contents: [{ uri: uri.href, mimeType: 'image/png', blob: pixel }] }));
  server.registerResource('entry', new ResourceTemplate('peer://entries/{key}', { list: undefined, complete: { key: value => ['first', 'second'].filter(k => k.startsWith(value)) } }),
    { mimeType: 'text/plain' }, async (uri, { key }) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: `entry ${key}` }] }));
  server.registerPrompt('greet', { description: 'Asks for a greeting.' },
    () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'Greet me.' } }] }));
  server.registerPrompt('explain', { description: 'Asks for an explanation.',
    argsSchema: z.object({ subject: completable(z.string(), value => ['ink', 'paper'].filter(s => s.startsWith(value))) }) },
  ({ subject }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Explain ${subject}.` } }] }));
}

function build() {
  const server = new McpServer({ name: 'node-mcp-peer', version: '1.0.0' }, { capabilities: { logging: {} }, instructions: 'A small peer.' });
  addTools(server);
  addRest(server);
  return server;
}

const sessions = new Map();

async function serveLegacy(req, res, body) {
  const known = sessions.get(req.headers['mcp-session-id']);
  if (known) return known.handleRequest(req, res, body);
  if (req.headers['mcp-session-id'] || !isInitializeRequest(body)) {
    const status = req.headers['mcp-session-id'] ? 404 : 400;
    res.writeHead(status, { 'content-type': 'application/json' });
    return res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no session' } }));
  }
  const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID,
    onsessioninitialized: id => void sessions.set(id, transport), onsessionclosed: id => void sessions.delete(id) });
  await build().connect(transport);
  return transport.handleRequest(req, res, body);
}

function serveHTTP(port) {
  const modern = createMcpHandler(build, { legacy: 'reject' });
  const handle = toNodeHandler(modern);
  const guards = [localhostHostValidation(), localhostOriginValidation()];
  const server = createServer(async (req, res) => {
    if (!guards.every(guard => guard(req, res))) return;
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    let body;
    try {
      body = chunks.length ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
    } catch {
      res.writeHead(400, { 'content-type': 'application/json' });
      return res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'parse error' } }));
    }
    const legacy = await isLegacyRequest(await toWebRequest(req, body), body);
    await (legacy ? serveLegacy(req, res, body) : handle(req, res, body));
  });
  server.listen(port, '127.0.0.1', () => process.stderr.write(`listening http://127.0.0.1:${server.address().port}/mcp\n`));
}

if (process.argv[2] === 'stdio') serveStdio(build);
else serveHTTP(Number(process.argv[2] ?? 0));
