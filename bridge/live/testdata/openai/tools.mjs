// The official client and the tools behind a bridge, for the test: `node tools.mjs BASE_URL`
// reads one request a line from stdin, {op, tool, args, key, stream, text, model}, and
// writes what came of it, a line each. The ops are models, call, ask and loop.
import { createInterface } from 'node:readline';
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: process.argv[2], apiKey: 'none', defaultHeaders: { 'X-Retry': 'never' } });

// call has one tool called, by a message as a model would write it.
async function call({ tool, args, key, stream }) {
  const asked = { id: 'call_1', type: 'function', function: { name: tool, arguments: args } };
  const request = { model: 'any', messages: [{ role: 'assistant', content: null, tool_calls: [asked] }] };
  const options = key ? { headers: { 'X-Idempotency-Key': key } } : {};
  if (!stream) {
    const { message, finish_reason } = (await client.chat.completions.create(request, options)).choices[0];
    return { results: message.tool_calls.map(c => c.function.arguments), finish: finish_reason };
  }
  const whole = await client.chat.completions.stream(request, options).finalChatCompletion();
  const { message, finish_reason } = whole.choices[0];
  return { results: message.tool_calls.map(c => c.function.arguments), finish: finish_reason };
}

// ask asks the model behind the bridge.
async function ask({ text, stream }) {
  const request = { model: 'm', messages: [{ role: 'user', content: text }] };
  const answer = stream
    ? await client.chat.completions.stream(request).finalChatCompletion()
    : await client.chat.completions.create(request);
  return { text: answer.choices[0].message.content, finish: answer.choices[0].finish_reason };
}

// loop has a model choose the calls and the bridge make them, until the model has its say.
async function loop({ text, model }) {
  const brain = new OpenAI({ baseURL: model, apiKey: 'none' });
  const tools = (await client.get('/tools')).data.map(({ type, function: f }) => ({ type, function: f }));
  const messages = [{ role: 'user', content: text }];
  for (let round = 0; round < 5; round++) {
    const { message } = (await brain.chat.completions.create({ model: 'm', messages, tools })).choices[0];
    messages.push(message);
    if (!message.tool_calls?.length) return { text: message.content, results: messages.filter(m => m.role === 'tool').map(m => m.content) };
    messages.push(...(await client.chat.completions.create({ model: 'any', messages })).tool_messages);
  }
  throw new Error('the model comes to no end');
}

const models = async () => ({ models: (await client.models.list()).data.map(m => m.id) });
const ops = { models, call, ask, loop };

for await (const line of createInterface({ input: process.stdin })) {
  let told;
  try {
    const request = JSON.parse(line);
    told = await ops[request.op](request);
  } catch (error) {
    told = { error: error.constructor.name, status: error.status ?? 0, code: error.code ?? '', class: error.error?.class ?? '', message: error.message };
  }
  process.stdout.write(JSON.stringify(told) + '\n');
}
