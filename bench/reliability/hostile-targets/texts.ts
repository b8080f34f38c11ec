import type { Kind } from './behaviour.ts'
import { chunkOf, headOf, type Surface } from './honest-answer.ts'
import type { Answering } from './server.ts'

const oddTexts = [
  ['NUL', 'a\0b'],
  ['lone surrogates', 'a\\ud800b\\udfff'],
  ['escapes of a terminal', '\u001b[2J\u001b]0;title\u0007\u001b[31mred'],
  ['escapes of a terminal in JSON', '\\u001b[2J\\u001b]0;title\\u0007\\u009b31m'],
  ['a script', '<script>alert(1)</script><img src=x onerror=alert(1)>'],
  ['the end of a script and of a comment', '--></script></style>]]>'],
  ['marks of direction', '\u202egnp.exe\u2066\u200f'],
  ['words of a workflow', '::error file=a::b%0A::set-output name=x::y'],
  ['a formula', "=cmd|' /C calc'!A0"],
  ['line ends', '\\r\\n\\r\\n\\u2028\\u2029\\u0085'],
  ['very many combining marks', `a${'\u0301'.repeat(20_000)}`],
  ['what a regular expression stumbles over', `${'a'.repeat(50_000)}!${' '.repeat(50_000)}x`],
  ['quotes of a shell', '\'"`$(id);|&'],
] as const

const disguises = [
  ['as it was sent', (credentials: string) => credentials],
  ['without its scheme', (credentials: string) => credentials.replace('Bearer ', '')],
  ['with escapes of JSON', (credentials: string) => credentials.replaceAll('-', '\\u002d')],
] as const

const oddJson = [
  'null',
  '[]',
  '""',
  '1e999',
  '-0',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  '{"id":{},"object":[],"data":{"length":1e9},"choices":{"0":{},"length":4294967295}}',
  '{"data":[null,1,"",[],{"id":null},{"id":{"toString":1}}],"choices":[null,1,"",[],{"delta":null,"message":null}]}',
  '{"choices":[{"index":1e308,"delta":{"content":{}},"message":{"content":[{}],"role":null}}],"usage":"much"}',
  '{"choices":[],"usage":{"prompt_tokens":-1,"completion_tokens":1e300,"total_tokens":null}}',
  '{"id":"","id":"","object":"list","data":[{"id":"tiny","id":"other","pricing":{"prompt":-1,"completion":1e400}}]}',
  '{"error":{"message":{"message":{"message":[]}},"code":1e9,"type":[[[]]]}}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  '\u{feff}{"object":"list","data":[]}',
  '{"a":1}{"b":2}',
] as const

/** Answers in good order that hold what nobody expects. */
export const textKinds: readonly Kind[] = [
  ...oddTexts.map(
    ([what, text]): Kind => ({
      about: `${what} in every place of an answer`,
      make: () => ({ spoil: (answering) => answerWith(answering, text) }),
    }),
  ),
  {
    about: 'the key of the caller',
    make: (draw) => {
      const [how, change] = draw.pick(disguises)
      const status = draw.pick([200, 401, 500])
      return {
        how: `${how}, status ${status}`,
        spoil: (answering) => answerWith(answering, change(answering.credentials), status),
      }
    },
  },
  {
    about: 'the key of the caller in a header',
    make: () => ({
      async spoil(answering) {
        const header = `X-Echo: ${answering.credentials}\r\nLocation: /?key=${answering.credentials.slice(7)}\r\n`
        await answering.write(headOf(answering.honest.surface, header, 400))
        await answering.write(`{"error":{"message":"no"}}`)
        answering.end()
      },
    }),
  },
  ...oddJson.map(
    (json): Kind => ({
      about: `the JSON ${json.slice(0, 40)}`,
      make: () => ({
        async spoil(answering) {
          const { surface } = answering.honest
          await answering.write(headOf(surface))
          await answering.write(surface === 'stream' ? `data: ${json}\n\ndata: [DONE]\n\n` : json)
          answering.end()
        },
      }),
    }),
  ),
]

const bodies: Readonly<Record<Surface, (text: string) => string>> = {
  list: (text) => `{"object":"list","data":[{"id":"${text}","object":"model","owned_by":"${text}"}]}`,
  json: (text) =>
    `{"id":"${text}","object":"${text}","model":"${text}","choices":[{"index":0,"message":{"role":"assistant","content":"${text}"},"finish_reason":"${text}"}],"error":{"message":"${text}","code":"${text}"}}`,
  stream: (text) =>
    `event: ${text}\nid: ${text}\n${chunkOf('word')}data: {"error":{"message":"${text}"}}\n\n: ${text}\n\ndata: [DONE]\n\n`,
}

async function answerWith(answering: Answering, text: string, status = 200): Promise<void> {
  const { surface } = answering.honest
  await answering.write(headOf(surface, '', status))
  await answering.write(bodies[surface](text))
  answering.end()
}
