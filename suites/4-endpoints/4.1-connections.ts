import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { numberAt, parseJson } from '../../src/json.ts'
import { inTurn, untilRight } from '../../src/repeat/repeat.ts'
import { ruleFor, rules } from '../../src/repeat/rules.ts'
import { chatPath, chatText } from '../../src/target/chat.ts'
import type { RawStep } from '../../src/wire/raw-client.ts'
import { parseRawMessages, type RawMessage } from '../../src/wire/raw-message.ts'

interface Talk {
  readonly messages: readonly RawMessage[]
  /** When the first byte of an answer came, in milliseconds since the connection was made. */
  readonly firstByteMs: number
}

/** Bytes on one socket, and the answers that came back. Silence and passing refusals are repeated beside a control. */
async function talk({ converse, ask, target }: CheckContext, steps: readonly RawStep[], answers = 1): Promise<Talk> {
  const isHeard = ({ messages }: Talk): boolean => messages.length >= answers && !messages.some(passing)
  const hear = async (turn: number): Promise<Talk> => {
    if (turn > 0) await ask()
    const { arrivals } = await converse(
      steps,
      (received) => parseRawMessages(received).filter(({ whole }) => whole).length >= answers,
    )
    const messages = parseRawMessages(Buffer.concat(arrivals.map(({ bytes }) => bytes)))
    return { messages, firstByteMs: arrivals[0]?.atMs ?? Number.POSITIVE_INFINITY }
  }
  return untilRight(ruleFor(rules.lastRequest, target.spending.cuts > 0), hear, isHeard)
}

/** A whole raw request to the chat endpoint. */
function rawChat(
  { rawHead }: CheckContext,
  body: string | Buffer,
  headers: readonly (readonly [string, string])[] = [],
): Buffer {
  const bytes = Buffer.from(body)
  const head = rawHead('POST', chatPath, [
    ['Content-Type', 'application/json'],
    ['Content-Length', String(bytes.length)],
    ...headers,
  ])
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
}

function chunked(body: string, size: number): string {
  const bytes = Buffer.from(body)
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size).toString('latin1')
    parts.push(`${part.length.toString(16)}\r\n${part}\r\n`)
  }
  return `${parts.join('')}0\r\n\r\n`
}

function promptTokensOf(message: RawMessage | undefined): number | undefined {
  return message?.status === 200 ? numberAt(parseJson(message.body.toString()), 'usage', 'prompt_tokens') : undefined
}

/** A limit or an outage of the moment says nothing about the wire. */
function passing(message: RawMessage | undefined): boolean {
  return message?.status === 429 || message?.status === 503
}

/** Whether the server closes behind an answer, and says so (RFC 9112, 9.3). */
function endsConnection({ version, headers }: RawMessage): boolean {
  const options = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .map(([, value]) => value.toLowerCase())
  return options.includes('close') || (version === '1.0' && !options.includes('keep-alive'))
}

/** HTTP/1.0 knows neither chunks nor interim answers. */
const oldVersion = 'the target speaks HTTP/1.0'

/** What curl waits for an interim answer before it sends the body all the same. */
const bodyAfterMs = 1000

export const connections = clause('4.1', [
  must('service.survives-the-run', {
    states: ['next-request-is-served'],
    dependsOn: ['chat.answers'],
    phase: 'last',
    cost: { requests: 5, tokens: 300 },
    why: 'A server that one client can bring to a stop is down for all of them.',
    fix: 'Find what the last requests before the silence were, and keep what belongs to one request in that request.',
    async run(context) {
      const { converse, expect, model, target, undecidable } = context
      const plain = async (): Promise<RawMessage | undefined> => {
        const { arrivals } = await converse([rawChat(context, chatText(model, {}))], (received) =>
          parseRawMessages(received).some(({ whole }) => whole),
        )
        return parseRawMessages(Buffer.concat(arrivals.map(({ bytes }) => bytes)))[0]
      }
      const rule = ruleFor(rules.lastRequest, target.spending.cuts > 0)
      const last = await untilRight(rule, plain, (message) => message?.status === 200)
      if (passing(last)) throw undecidable('the last request was refused for the moment')
      expect('status of a plain request sent after all others (200 at the start)', last?.status).is(200)
    },
  }),
  should('http.keep-alive-after-error', {
    states: ['http-rules'],
    dependsOn: ['chat.answers'],
    cost: { requests: 8, tokens: 300 },
    why: 'A pooled connection that closes without notice fails the next request of somebody else.',
    fix: 'Read the rest of a refused body and keep the connection, or say `Connection: close`.',
    async run(context) {
      const { expect, model, undecidable } = context
      const good = rawChat(context, chatText(model, {}))
      const bad = rawChat(context, '{"broken')
      // Not an unknown model: whoever answers that with 503 is not out of order.
      const hot = rawChat(context, chatText(model, { temperature: 9 }))
      const { messages } = await talk(context, [bad, { pauseMs: 150 }, hot, { pauseMs: 150 }, good], 3)
      const closing = messages.findIndex(endsConnection)
      const expected = closing === -1 ? 3 : closing + 1
      if (messages.some(passing)) throw undecidable('a request was refused for the moment')
      if (messages.length < expected) {
        const control = await talk(context, [good, { pauseMs: 150 }, good, { pauseMs: 150 }, good], 3)
        if (control.messages.length < 3) throw undecidable('connections close behind good answers too')
      }
      expect('answers on one connection', messages.length).isAtLeast(expected)
      if (closing === -1) expect('status of the good request behind two bad ones', messages[2]?.status).is(200)
    },
  }),
  must('http.streams-back-to-back', {
    states: ['stream-reply-is-sse', 'http-rules'],
    dependsOn: ['stream.answers'],
    cost: { requests: 3, tokens: 180 },
    why: 'Bytes of one answer inside another corrupt whatever uses a pooled connection.',
    fix: 'End every body by its framing before the next answer begins.',
    async run(context) {
      const { expect, model, undecidable } = context
      const stream = rawChat(context, chatText(model, { stream: true }))
      const { messages } = await talk(context, [stream, { pauseMs: 100 }, stream], 2)
      if (messages.length === 0 || messages.some(passing)) throw undecidable('the connection carried no stream')
      for (const message of messages) {
        expect('an HTTP head inside a stream', /^HTTP\/1\.[01] \d{3}/m.test(message.body.toString('latin1'))).is(false)
      }
      expect('status of the first stream', messages[0]?.status).is(200)
    },
  }),
  must('http.one-framing', {
    states: ['http-rules'],
    dependsOn: ['stream.answers', 'chat.answers'],
    cost: { requests: 2, tokens: 120 },
    why: 'Strict clients refuse an answer that is framed twice; RFC 9112 (6.1) calls it an attack.',
    fix: 'Send either Content-Length or Transfer-Encoding.',
    async run(context) {
      const { expect, model, undecidable } = context
      for (const stream of [true, false]) {
        const { messages } = await talk(context, [
          rawChat(context, chatText(model, { stream }), [['Connection', 'close']]),
        ])
        const [message] = messages
        if (message === undefined) throw undecidable('the answer could not be read from the socket')
        expect(`framing of an answer with stream: ${stream}`, message.framing).isNot('both')
        if (message.framing === 'length') expect('whether the body has its announced length', message.whole).is(true)
      }
    },
  }),
  should('http.old-clients-get-no-chunks', {
    states: ['http-rules'],
    dependsOn: ['stream.answers', 'http.one-framing'],
    cost: { requests: 1, tokens: 60 },
    why: 'Some proxies ask in HTTP/1.0, where the sizes of chunks are read as text (RFC 9112, 6.1).',
    fix: 'End the body by closing the connection where the request is of HTTP/1.0, or answer 426.',
    async run(context) {
      const { expect, model, undecidable } = context
      const stream = rawChat(context, chatText(model, { stream: true })).toString('latin1')
      const { messages } = await talk(context, [Buffer.from(stream.replace('HTTP/1.1', 'HTTP/1.0'), 'latin1')])
      const [message] = messages
      if (message === undefined || passing(message)) throw undecidable('a request of HTTP/1.0 was not answered')
      expect('framing of the answer to a request of HTTP/1.0', message.framing).isNot('chunked')
    },
  }),
  should('http.chunked-request', {
    states: ['http-rules'],
    dependsOn: ['chat.answers'],
    cost: { requests: 2, tokens: 120 },
    why: 'Clients that stream their body send it chunked; RFC 9112 makes every server read it.',
    fix: 'Read chunked bodies, and do not forward both framing headers to a node.',
    async run(context) {
      const { rawHead, expect, model, undecidable, notApplicable } = context
      const body = chatText(model, { messages: [{ role: 'user', content: 'Say hello, Zoë.' }] })
      for (const size of [7, 4096]) {
        const head = rawHead('POST', chatPath, [
          ['Content-Type', 'application/json'],
          ['Transfer-Encoding', 'chunked'],
        ])
        const { messages } = await talk(context, [Buffer.from(head + chunked(body, size), 'latin1')])
        const [message] = messages
        if (passing(message)) throw undecidable('the request was refused for the moment')
        if (message?.version === '1.0') throw notApplicable(oldVersion)
        expect(`status for a body in chunks of ${size} bytes`, message?.status).is(200)
      }
    },
  }),
  should('http.header-names-without-case', {
    states: ['http-rules'],
    dependsOn: ['chat.answers'],
    cost: { requests: 2, tokens: 120 },
    why: 'Proxies and older clients write header names in capitals, or without any.',
    fix: 'Compare header names without case (RFC 9110, 5.1).',
    async run(context) {
      const { expect, model, undecidable } = context
      const [line = '', ...rest] = rawChat(context, chatText(model, {})).toString('latin1').split('\r\n')
      for (const spell of [(name: string) => name.toUpperCase(), (name: string) => name.toLowerCase()]) {
        const spelt = rest.map((one) => (/^[A-Za-z-]+: /.test(one) ? one.replace(/^[^:]+/, spell) : one))
        const { messages } = await talk(context, [Buffer.from([line, ...spelt].join('\r\n'), 'latin1')])
        const [message] = messages
        if (passing(message)) throw undecidable('the request was refused for the moment')
        expect(`status for headers as ${spell('Authorization')}`, message?.status).is(200)
      }
    },
  }),
  should('http.slow-body', {
    states: ['http-rules'],
    dependsOn: ['chat.answers'],
    cost: { requests: 1, tokens: 60 },
    why: 'A body that comes in several packets is ordinary on a slow line.',
    fix: 'Wait for the whole body before you parse it.',
    async run(context) {
      const { expect, model, undecidable } = context
      const bytes = rawChat(context, chatText(model, { messages: [{ role: 'user', content: 'Say hello, 日本.' }] }))
      const cut = bytes.indexOf(Buffer.from('日')) + 1
      const third = Math.floor(bytes.length / 3)
      const steps = [
        bytes.subarray(0, third),
        { pauseMs: 150 },
        bytes.subarray(third, cut),
        { pauseMs: 150 },
        bytes.subarray(cut),
      ]
      const { messages } = await talk(context, steps)
      const [message] = messages
      if (passing(message)) throw undecidable('the request was refused for the moment')
      expect('status for a body in three packets', message?.status).is(200)
      const tokens = await inTurn(2, async () => promptTokensOf((await talk(context, [bytes])).messages[0]))
      if (tokens[0] === undefined || tokens[0] !== tokens[1]) return
      expect('prompt_tokens of a body that was cut inside a letter', promptTokensOf(message)).is(tokens[0])
    },
  }),
  should('http.expect-continue', {
    states: ['http-rules'],
    dependsOn: ['chat.answers'],
    cost: { requests: 1, tokens: 60 },
    why: 'The client curl waits for the interim answer before it sends a larger body.',
    fix: 'Answer `Expect: 100-continue` with 100, or with the final status (RFC 9110, 10.1.1).',
    async run(context) {
      const { rawHead, expect, model, undecidable, notApplicable } = context
      const body = chatText(model, {})
      const head = rawHead('POST', chatPath, [
        ['Content-Type', 'application/json'],
        ['Content-Length', String(Buffer.byteLength(body))],
        ['Expect', '100-continue'],
      ])
      const { messages, firstByteMs } = await talk(context, [head, { pauseMs: bodyAfterMs }, body])
      const [final] = messages
      if (passing(final)) throw undecidable('the request was refused for the moment')
      if (final?.version === '1.0') throw notApplicable(oldVersion)
      expect(
        'milliseconds to the first byte of an answer, where the body waits for it',
        Math.round(firstByteMs),
      ).isAtMost(bodyAfterMs)
      expect('status behind Expect: 100-continue', final?.status).isOneOf([200, 417])
    },
  }),
  open('http.half-close', {
    states: ['http-open'],
    dependsOn: ['chat.answers'],
    cost: { requests: 1, tokens: 60 },
    why: 'Simple clients close their side behind the request and read on.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run(context) {
      const { messages } = await talk(context, [rawChat(context, chatText(context.model, {})), { halfClose: true }])
      const [message] = messages
      return { status: message?.status ?? null }
    },
  }),
])
