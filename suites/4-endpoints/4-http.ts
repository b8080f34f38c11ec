import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { isClientError, isSuccess } from '../../src/target/answer.ts'
import { chatPath, chatText, modelsPath } from '../../src/target/chat.ts'
import { listAt, parseJson } from '../../src/target/json.ts'
import type { RawStep } from '../../src/wire/raw-client.ts'
import { parseRawMessages, type RawMessage } from '../../src/wire/raw-message.ts'

/** Bytes on one socket, and the answers that came back. Silence and passing refusals are repeated beside a control. */
async function talk({ converse, ask }: CheckContext, steps: readonly RawStep[], answers = 1): Promise<readonly RawMessage[]> {
  let messages: readonly RawMessage[] = []
  for (let turn = 0; turn < 3; turn += 1) {
    const { arrivals } = await converse(steps, (received) => parseRawMessages(received).filter(({ whole }) => whole).length >= answers)
    messages = parseRawMessages(Buffer.concat(arrivals.map(({ bytes }) => bytes)))
    if (messages.length >= answers && !messages.some(passing)) break
    await ask()
  }
  return messages
}

/** A whole raw request to the chat endpoint. */
function rawChat({ rawHead }: CheckContext, body: string | Buffer, headers: readonly (readonly [string, string])[] = []): Buffer {
  const bytes = Buffer.from(body)
  const head = rawHead('POST', chatPath, [['Content-Type', 'application/json'], ['Content-Length', String(bytes.length)], ...headers])
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

/** A limit or an outage of the moment says nothing about the wire. */
function passing(message: RawMessage | undefined): boolean {
  return message?.status === 429 || message?.status === 503
}

export const http = clause('4.1', [
  should('http.malformed-json-refused', {
    states: ['request-is-json', 'client-errors-are-4xx'],
    dependsOn: ['chat.answers'],
    cost: { requests: 10, tokens: 0 },
    why: 'A parser error that escapes is a 5xx, and SDKs send the same bytes again.',
    fix: 'Answer a body that is no JSON with 400, in both modes.',
    async run({ probe, expect, model }) {
      const whole = chatText(model, {})
      const bodies = [whole.slice(0, -1), `${whole.slice(0, -1)},}`, 'hello', '', '{', `${whole}}`, "{'model':'x'}", whole.replace('{', '{"stream":true,').slice(0, -2), '\u0000']
      for (const body of bodies) {
        const answer = await probe(body)
        expect(`status for the body ${JSON.stringify(body.slice(0, 60))}`, answer.status, answer).satisfies('a 4xx', isClientError(answer))
      }
    },
  }),
  should('http.serves-after-bad-requests', {
    states: ['next-request-is-served'],
    dependsOn: ['chat.answers', 'stream.answers'],
    cost: { requests: 24, tokens: 1400 },
    why: 'One client\'s odd value must not take the server from the others.',
    fix: 'Keep what belongs to one request in that request.',
    async run({ probe, ask, askStream, expect, model }) {
      const odd = ['{', '{"model":5}', chatText(model, { temperature: -1 }), chatText(model, { top_p: 9 }), chatText(model, { messages: [] }), chatText('assay-no-such-model', {}), chatText(model, { stop: 7 }), chatText(model, { max_tokens: 0 })]
      for (const body of odd) {
        await probe(body)
        const reply = await ask()
        expect(`choices of a good request behind ${body.slice(0, 80)}`, listAt(reply.json, 'choices').length, reply).isAtLeast(1)
      }
      const stream = await askStream()
      expect('data events behind bad requests', stream.chunks.length, stream).isAtLeast(1)
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
      const unknown = rawChat(context, chatText('assay-no-such-model', {}))
      const messages = await talk(context, [bad, { pauseMs: 150 }, unknown, { pauseMs: 150 }, good], 3)
      const closing = messages.findIndex(({ headers }) => headers.some(([name, value]) => name.toLowerCase() === 'connection' && value.toLowerCase() === 'close'))
      const expected = closing === -1 ? 3 : closing + 1
      if (messages.some(passing)) throw undecidable('a request was refused for the moment')
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
      const messages = await talk(context, [stream, { pauseMs: 100 }, stream], 2)
      if (messages.length === 0 || messages.some(passing)) throw undecidable('the connection carried no stream')
      for (const message of messages) {
        expect('an HTTP head inside a stream', /HTTP\/1\.[01] \d{3}/.test(message.body.toString('latin1'))).is(false)
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
        const [message] = await talk(context, [rawChat(context, chatText(model, { stream }), [['Connection', 'close']])])
        if (message === undefined) throw undecidable('the answer could not be read from the socket')
        expect(`framing of an answer with stream: ${stream}`, message.framing).isNot('both')
        if (message.framing === 'length') expect('whether the body has its announced length', message.whole).is(true)
      }
    },
  }),
  should('http.chunked-request', {
    states: ['http-rules'],
    dependsOn: ['chat.answers'],
    cost: { requests: 2, tokens: 120 },
    why: 'Clients that stream their body send it chunked; RFC 9112 makes every server read it.',
    fix: 'Read chunked bodies, and do not forward both framing headers to a node.',
    async run(context) {
      const { rawHead, expect, model, undecidable } = context
      const body = chatText(model, { messages: [{ role: 'user', content: 'Say hello, Zoë.' }] })
      for (const size of [7, 4096]) {
        const head = rawHead('POST', chatPath, [['Content-Type', 'application/json'], ['Transfer-Encoding', 'chunked']])
        const [message] = await talk(context, [Buffer.from(head + chunked(body, size), 'latin1')])
        if (passing(message)) throw undecidable('the request was refused for the moment')
        expect(`status for a body in chunks of ${size} bytes`, message?.status).is(200)
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
      const steps = [bytes.subarray(0, third), { pauseMs: 60 }, bytes.subarray(third, cut), { pauseMs: 60 }, bytes.subarray(cut)]
      const [message] = await talk(context, steps)
      if (passing(message)) throw undecidable('the request was refused for the moment')
      expect('status for a body in three packets', message?.status).is(200)
    },
  }),
  should('http.expect-continue', {
    states: ['http-rules'],
    dependsOn: ['chat.answers'],
    cost: { requests: 1, tokens: 60 },
    why: 'curl waits for the interim answer before it sends a larger body.',
    fix: 'Answer `Expect: 100-continue` with 100, or with the final status (RFC 9110, 10.1.1).',
    async run(context) {
      const { rawHead, converse, expect, model, undecidable } = context
      const body = chatText(model, {})
      const head = rawHead('POST', chatPath, [['Content-Type', 'application/json'], ['Content-Length', String(Buffer.byteLength(body))], ['Expect', '100-continue']])
      const { arrivals } = await converse([head, { pauseMs: 1000 }, body], (received) => parseRawMessages(received).some(({ whole }) => whole))
      const text = Buffer.concat(arrivals.map(({ bytes }) => bytes))
      const [final] = parseRawMessages(text)
      if (passing(final)) throw undecidable('the request was refused for the moment')
      expect('status of the request', final?.status).satisfies('a final status', final !== undefined)
      // RFC 9110 lets a server skip the interim answer once the body is there; a second of silence is a stall.
      expect('milliseconds to the first byte of an answer', Math.round(arrivals[0]?.atMs ?? 60_000)).isAtMost(2000)
      expect('status behind Expect: 100-continue', final?.status).isOneOf([200, 417])
    },
  }),
  should('http.content-type-parameters', {
    states: ['request-is-json'],
    dependsOn: ['chat.answers'],
    cost: { requests: 4, tokens: 240 },
    why: 'Many clients add a charset to the media type.',
    fix: 'Compare the media type without its parameters and without case.',
    async run({ ask, expect }) {
      for (const type of ['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON']) {
        const reply = await ask({}, { headers: [['Content-Type', type]] })
        expect(`status with Content-Type: ${type}`, reply.status, reply).satisfies('a 2xx', isSuccess(reply))
      }
    },
  }),
  should('http.other-content-types-no-server-error', {
    states: ['client-errors-are-4xx'],
    dependsOn: ['chat.answers'],
    cost: { requests: 4, tokens: 240 },
    why: 'A missing body parser must not end in a crash.',
    fix: 'Read JSON whatever its label, or refuse it with 415.',
    async run({ probe, expect }) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'nonsense']) {
        const answer = await probe({}, { headers: [['Content-Type', type]] })
        expect(`status with Content-Type: ${type}`, answer.status, answer).satisfies('2xx or 4xx', isSuccess(answer) || isClientError(answer))
      }
    },
  }),
  should('http.unknown-path', {
    states: ['http-rules'],
    dependsOn: ['chat.answers'],
    cost: { requests: 4, tokens: 0 },
    why: 'A landing page under a 200 is taken for a reply.',
    fix: 'Answer a path that does not exist with 404.',
    async run({ settled, expect, model }) {
      for (const path of ['/no-such-path', '/chat/no-such-path', '/chat/completionsx', '/modelsx']) {
        const posted = await settled({ method: 'POST', path, body: chatText(model, {}) })
        expect(`status of POST ${path}`, posted.status, posted).satisfies('a 4xx', isClientError(posted))
        const got = await settled({ method: 'GET', path })
        expect(`status of GET ${path}`, got.status, got).satisfies('a 4xx', isClientError(got))
      }
    },
  }),
  should('http.wrong-method', {
    states: ['http-rules'],
    dependsOn: ['chat.answers'],
    cost: { requests: 5, tokens: 0 },
    why: 'Health checks and scanners send every method; none may crash a server or change anything.',
    fix: 'Answer a method that a path does not have with 405 or 404.',
    async run({ settled, expect, model }) {
      const requests = [
        { method: 'GET', path: chatPath },
        { method: 'PUT', path: chatPath, body: chatText(model, {}) },
        { method: 'DELETE', path: chatPath },
        { method: 'DELETE', path: modelsPath },
        { method: 'PUT', path: modelsPath, body: '{}' },
      ] as const
      for (const request of requests) {
        const answer = await settled(request)
        const refused = isClientError(answer) || answer.status === 501
        expect(`status of ${request.method} ${request.path}`, answer.status, answer).satisfies('a 4xx or 501', refused)
      }
    },
  }),
  should('http.errors-are-json', {
    states: ['error-body-readable'],
    dependsOn: ['chat.answers'],
    phase: 'audit',
    cost: { requests: 2, tokens: 0 },
    why: 'SDKs parse the body of an error; a page of HTML hides the status behind a syntax error.',
    fix: 'Send errors as JSON with a JSON media type, or without a body.',
    async run({ probe, samples, expect, notApplicable }) {
      await probe('{"broken')
      await probe({ model: 'assay-no-such-model' })
      const withBody = (await samples.refusals()).filter(({ text, exchange }) => text.trim() !== '' && !exchange.request.url.includes('no-such-path') && ['POST', 'GET'].includes(exchange.request.method))
      if (withBody.length === 0) throw notApplicable('no error has a body')
      for (const answer of withBody.filter(({ exchange }) => exchange.request.method === 'POST' && exchange.request.url.endsWith(chatPath))) {
        expect('body of an error', answer.text.slice(0, 200), answer).satisfies('JSON', parseJson(answer.text) !== undefined)
      }
    },
  }),
  open('http.odd-requests', {
    states: ['http-open'],
    dependsOn: ['chat.answers'],
    cost: { requests: 7, tokens: 300 },
    why: 'Trailing slashes, preflights, byte order marks: every gateway has its own way.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ send, probe, model }) {
      const body = chatText(model, {})
      const preflight = await send({ method: 'OPTIONS', path: chatPath, key: null, headers: [['Origin', 'https://client.example'], ['Access-Control-Request-Method', 'POST']] })
      return {
        trailingSlash: (await send({ method: 'POST', path: `${chatPath}/`, body })).status,
        preflight: preflight.status,
        byteOrderMark: (await probe(new Uint8Array(Buffer.from(`\ufeff${body}`)))).status,
        headOfModels: (await send({ method: 'HEAD', path: modelsPath })).status,
        longHeader: (await probe({}, { headers: [['X-Long', 'x'.repeat(6000)]] })).status,
      }
    },
  }),
  open('http.half-close', {
    states: ['http-open'],
    dependsOn: ['chat.answers'],
    cost: { requests: 1, tokens: 60 },
    why: 'Simple clients close their side behind the request and read on.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run(context) {
      const [message] = await talk(context, [rawChat(context, chatText(context.model, {})), { halfClose: true }])
      return { status: message?.status ?? null }
    },
  }),
])
