import { passing, rawChat, talk } from '../../src/asking/raw/talk.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import { numberAt, parseJson } from '../../src/json.ts'
import { inTurn } from '../../src/repeat/repeat.ts'
import { chatPath, chatText } from '../../src/target/chat.ts'
import { endsConnection, type RawMessage } from '../../src/wire/raw-message.ts'

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

/** HTTP/1.0 knows neither chunks nor interim answers. */
const oldVersion = 'the target speaks HTTP/1.0'

/** How long curl waits for an interim answer before it sends the body anyway. */
const bodyAfterMs = 1000

/** A busy server may be later than that; one that waits for the body never answers. */
const patientBodyAfterMs = 5000

export const connections = clause('4.1', [
  should('http.keep-alive-after-error', {
    states: ['http-rules'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    // A server that fails on such a body may well close the connection, and one that is closed after bad requests serves on none.
    sameCauseAs: ['http.malformed-json-refused', 'http.bad-requests-close-nothing'],
    cost: { requests: 16, tokens: 240, quick: 5 },
    wrong: 'A connection broke, or did not serve a good request, after bad ones.',
    why: "A pooled connection that closes without notice fails somebody else's next request.",
    fix: 'Read the rest of a refused body and keep the connection, or say `Connection: close`.',
    async run(context) {
      const { expect, model, nonce, target, undecidable } = context
      const good = rawChat(context, chatText(model, {}))
      const bad = rawChat(context, '{"broken')
      // Not an unknown model, because a gateway may answer that with 503.
      const hot = rawChat(context, chatText(model, { temperature: 9 }))
      // Refused before anybody reads its body: what is left of it must not be taken for the next request.
      const stranger = rawChat(context, chatText(model, {}), [['Authorization', `Bearer sk-assay-${nonce()}`]])
      const series =
        target.config.keys.main === undefined
          ? { 'two bad ones': [bad, hot] }
          : { 'two bad ones': [bad, hot], 'one with an unknown key': [stranger] }
      for (const [what, refused] of Object.entries(series)) {
        const all = refused.length + 1
        const steps = [...refused.flatMap((one) => [one, { pauseMs: 150 }]), good]
        const { messages } = await talk(context, steps, all)
        const closing = messages.findIndex(endsConnection)
        const isReused = closing === -1 || closing >= refused.length
        const expected = isReused ? all : closing + 1
        if (messages.some(passing)) throw undecidable('a request was temporarily refused')
        if (messages.length < expected) {
          const control = await talk(context, [good, { pauseMs: 150 }, good, { pauseMs: 150 }, good], 3)
          if (control.messages.length < 3) throw undecidable('connections close after good answers too')
        }
        expect('answers on one connection', messages.length).isAtLeast(expected)
        if (isReused) expect(`status of the good request after ${what}`, messages[refused.length]?.status).is(200)
      }
    },
  }),
  must('http.streams-back-to-back', {
    states: ['stream-reply-is-sse', 'http-rules'],
    dependsOn: ['stream.answers'],
    cost: { requests: 3, tokens: 180, quick: 1 },
    wrong: 'A stream holds the head of the next answer, or was not answered with 200.',
    why: 'Clients with pooled connections read corrupt data when bytes of one answer end up in another.',
    fix: 'Finish the framing of each body before the next answer begins.',
    async run(context) {
      const { askStream, expect, model, undecidable } = context
      const stream = rawChat(context, chatText(model, { stream: true }))
      const { messages } = await talk(context, [stream, { pauseMs: 100 }, stream], 2)
      if (messages.length === 0) throw undecidable('no answer could be read from the socket')
      if (messages.some(passing)) throw undecidable('a stream was temporarily refused')
      for (const message of messages) {
        expect(
          'whether a stream contains an HTTP head',
          /^HTTP\/1\.[01] \d{3}/m.test(message.body.toString('latin1')),
        ).is(false)
      }
      // Where no stream is served any more, that says so, with a request that anybody can repeat.
      if (messages[0]?.status !== 200) await askStream()
      expect('status of the first stream', messages[0]?.status).is(200)
    },
  }),
  must('http.one-framing', {
    states: ['http-rules'],
    dependsOn: ['stream.answers', 'chat.answers'],
    cost: { requests: 2, tokens: 120 },
    wrong: 'An answer is framed in two ways at once, or is shorter than it announced.',
    why: 'Strict clients refuse an answer that is framed twice, which RFC 9112 (6.1) calls a possible attack.',
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
        if (message.framing === 'length') expect('whether the body has the announced length', message.whole).is(true)
      }
    },
  }),
  should('http.old-clients-get-no-chunks', {
    states: ['http-rules'],
    phase: 'odd',
    dependsOn: ['stream.answers', 'http.one-framing'],
    cost: { requests: 1, tokens: 60 },
    wrong: 'An HTTP/1.0 request got a chunked answer.',
    why: 'Users of HTTP/1.0 proxies read chunk sizes as text (RFC 9112, 6.1).',
    fix: 'Close the connection to end the body for an HTTP/1.0 request, or answer 426.',
    async run(context) {
      const { expect, model, undecidable } = context
      const stream = rawChat(context, chatText(model, { stream: true })).toString('latin1')
      const { messages } = await talk(context, [Buffer.from(stream.replace('HTTP/1.1', 'HTTP/1.0'), 'latin1')])
      const [message] = messages
      if (message === undefined) throw undecidable('the answer to an HTTP/1.0 request could not be read')
      if (passing(message)) throw undecidable('an HTTP/1.0 request was temporarily refused')
      expect('framing of the answer to an HTTP/1.0 request', message.framing).isNot('chunked')
    },
  }),
  should('http.chunked-request', {
    states: ['http-rules'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 2, tokens: 120 },
    wrong: 'A request with a chunked body was not answered with 200.',
    why: 'Clients that stream their body send it chunked; a server may ask for its length instead, and nothing else.',
    fix: 'Read chunked bodies, or answer 411 (RFC 9112, 6.3), and do not forward both framing headers to a node.',
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
        if (passing(message)) throw undecidable('the request was temporarily refused')
        if (message?.version === '1.0') throw notApplicable(oldVersion)
        if (message?.status === 411) throw notApplicable('the target asks for the length of every body, as it may')
        expect(`status for a body in chunks of ${size} bytes`, message?.status).is(200)
      }
    },
  }),
  should('http.header-names-without-case', {
    states: ['http-rules'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 2, tokens: 120 },
    wrong: 'A request with header names spelled in another case got no 200.',
    why: 'Proxies and older clients write header names in upper or lower case, and must not be refused.',
    fix: 'Ignore case when comparing header names (RFC 9110, 5.1).',
    async run(context) {
      const { expect, model, undecidable } = context
      const [line = '', ...rest] = rawChat(context, chatText(model, {})).toString('latin1').split('\r\n')
      for (const spell of [(name: string) => name.toUpperCase(), (name: string) => name.toLowerCase()]) {
        const spelt = rest.map((one) => (/^[A-Za-z-]+: /.test(one) ? one.replace(/^[^:]+/, spell) : one))
        const { messages } = await talk(context, [Buffer.from([line, ...spelt].join('\r\n'), 'latin1')])
        const [message] = messages
        if (passing(message)) throw undecidable('the request was temporarily refused')
        expect(`status for headers spelled like ${spell('Authorization')}`, message?.status).is(200)
      }
    },
  }),
  should('http.slow-body', {
    states: ['http-rules'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 3, tokens: 80 },
    wrong: 'A body that came in three packets was not served, or was counted differently.',
    why: 'Clients on slow lines send their body in several packets.',
    fix: 'Wait for the whole body before parsing it.',
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
      if (passing(message)) throw undecidable('the request was temporarily refused')
      expect('status for a body in three packets', message?.status).is(200)
      const tokens = await inTurn(2, async () => promptTokensOf((await talk(context, [bytes])).messages[0]))
      if (tokens[0] === undefined || tokens[0] !== tokens[1]) return
      expect('prompt_tokens of a body split inside a letter', promptTokensOf(message)).is(tokens[0])
    },
  }),
  should('http.expect-continue', {
    states: ['http-rules'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 2, tokens: 120 },
    wrong: 'A request with Expect: 100-continue had to wait, or got neither a 200 nor a 417.',
    why: 'Users of curl wait for the interim answer before each larger body.',
    fix: 'Answer `Expect: 100-continue` with 100, or with the final status (RFC 9110, 10.1.1).',
    async run(context) {
      const { rawHead, expect, model, undecidable, notApplicable } = context
      const body = chatText(model, {})
      const head = rawHead('POST', chatPath, [
        ['Content-Type', 'application/json'],
        ['Content-Length', String(Buffer.byteLength(body))],
        ['Expect', '100-continue'],
      ])
      const asCurl = await talk(context, [head, { pauseMs: bodyAfterMs }, body])
      const { messages, firstByteMs } =
        asCurl.firstByteMs <= bodyAfterMs ? asCurl : await talk(context, [head, { pauseMs: patientBodyAfterMs }, body])
      const [final] = messages
      if (passing(final)) throw undecidable('the request was temporarily refused')
      if (final?.version === '1.0') throw notApplicable(oldVersion)
      expect('milliseconds to the first byte of an answer when the body waits for it', Math.ceil(firstByteMs)).isAtMost(
        patientBodyAfterMs,
      )
      expect('status after Expect: 100-continue', final?.status).isOneOf([200, 417])
    },
  }),
  open('http.half-close', {
    states: ['http-open'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 1, tokens: 60 },
    why: 'Simple clients close their side after the request and keep reading.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run(context) {
      const { messages } = await talk(context, [rawChat(context, chatText(context.model, {})), { halfClose: true }])
      const [message] = messages
      return { status: message?.status ?? null }
    },
  }),
])
