import type { Draw } from '../draw.ts'
import { type Kind, requestOf } from './input.ts'
import { mangled, oddJson, oddText } from './odd-values.ts'

const target = '/api/v1/chat/completions'

/** Bodies of chat requests, sent by somebody whose key is good. */
export const chatKinds: readonly Kind[] = [
  chat('a chat with odd values', 10, (draw) => bodyWith(draw, draw.between(1, 3))),
  chat('a chat with fields twice', 3, (draw) => {
    const fields = [...honestFields, [draw.pick(names), oddJson(draw)] as const, ...honestFields]
    return objectOf(fields.slice(draw.between(0, 3)))
  }),
  chat('a chat whose bytes were changed', 6, (draw) => mangled(draw, Buffer.from(bodyWith(draw, 0)))),
  chat('any JSON for a chat', 4, (draw) => oddJson(draw)),
  chat('a chat with a long or deep conversation', 1, (draw) =>
    objectOf([
      ...honestFields.filter(([name]) => name !== 'messages'),
      ['messages', `[${`{"role":"user","content":${oddJson(draw)}},`.repeat(draw.pick([2, 30]))}{}]`],
    ]),
  ),
  {
    about: 'a chat with odd headers',
    share: 4,
    make: (draw, { key }) => ({
      surface: 'api',
      isRequest: true,
      bytes: requestOf(
        'POST',
        target,
        { Authorization: `Bearer ${key}`, [draw.pick(headerNames)]: draw.pick(headerValues) },
        bodyWith(draw, draw.between(0, 1)),
      ),
    }),
  },
]

const names: readonly string[] = [
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'stream',
  'stream_options',
  'stop',
  'n',
  'tools',
  'tool_choice',
  'response_format',
  'logprobs',
  'metadata',
  'user',
  'seed',
  'store',
  '__proto__',
  'toString',
]
const headerNames = ['Content-Type', 'Content-Encoding', 'Accept', 'Accept-Encoding', 'X-Request-Id', 'Idempotency-Key']
const headerValues = [
  '',
  'gzip',
  'text/xml',
  'application/json; charset=utf-16',
  'x'.repeat(4000),
  '\u00ff\u0080',
  '*/*;q=9',
]

type Field = readonly [name: string, json: string]

const honestFields: readonly Field[] = [
  ['model', '"small"'],
  ['messages', '[{"role":"user","content":"Hello"}]'],
  ['max_tokens', '3'],
]

function bodyWith(draw: Draw, odd: number): string {
  const fields = new Map(honestFields)
  for (let left = odd; left > 0; left -= 1) {
    const [name, json] = draw.pick<() => Field>([
      () => [draw.pick(names), oddJson(draw)],
      () => ['messages', `[{"role":${oddJson(draw)},"content":${oddJson(draw)}}]`],
      () => ['messages', `[{"role":"user","content":${JSON.stringify(oddText(draw))}}]`],
      () => ['stream', 'true'],
    ])()
    fields.set(name, json)
  }
  return objectOf([...fields])
}

function objectOf(fields: readonly Field[]): string {
  return `{${fields.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}

function chat(about: string, share: number, bodyOf: (draw: Draw) => string | Buffer): Kind {
  return {
    about,
    share,
    make: (draw, { key }) => ({
      surface: 'api',
      isRequest: true,
      bytes: requestOf('POST', target, { Authorization: `Bearer ${key}` }, bodyOf(draw)),
    }),
  }
}
