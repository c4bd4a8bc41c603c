// The official client, for the test: `node chat.mjs BASE_URL KEY` reads one request a line
// from stdin, {model, text, stream, conversation}, and writes what it got, or what was
// thrown, a line each. It is the client as it comes: with its own retries.
import { createInterface } from 'node:readline';
import OpenAI from 'openai';

const [baseURL, apiKey] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey });

async function ask({ model, text, stream, conversation }) {
  const options = conversation ? { headers: { 'X-Conversation-Id': conversation } } : {};
  const request = { model, messages: [{ role: 'user', content: text }] };
  if (!stream) {
    const answer = await client.chat.completions.create(request, options);
    return { text: answer.choices[0].message.content, finish: answer.choices[0].finish_reason };
  }
  let said = '', finish = null;
  try {
    for await (const chunk of await client.chat.completions.create({ ...request, stream: true }, options)) {
      said += chunk.choices[0]?.delta?.content ?? '';
      finish = chunk.choices[0]?.finish_reason ?? finish;
    }
  } catch (error) {
    throw Object.assign(error, { said });
  }
  return { text: said, finish };
}

for await (const line of createInterface({ input: process.stdin })) {
  let told;
  try {
    told = await ask(JSON.parse(line));
  } catch (error) {
    told = { error: error.constructor.name, status: error.status ?? 0, code: error.code ?? '', message: error.message, text: error.said ?? '',
      class: error.error?.class ?? '', retryAfter: error.headers?.get?.('retry-after') ?? '' };
  }
  process.stdout.write(JSON.stringify(told) + '\n');
}
