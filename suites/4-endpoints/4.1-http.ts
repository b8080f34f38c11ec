import { stackFrameIn } from '../../src/asking/errors/stack-trace.ts'
import { holdServedAfter } from '../../src/asking/served-after.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import { listAt, textAt } from '../../src/json.ts'
import { sideBySide } from '../../src/repeat/side-by-side.ts'
import { isReadableError, isSuccess } from '../../src/target/answer.ts'
import { chatPath, chatRequest, chatText, modelsPath } from '../../src/target/chat.ts'
import { type Exchange, headerOf } from '../../src/wire/transcript.ts'

const again = { messages: [{ role: 'user', content: 'Say hello once again.' }] }

/** A server in front of the gateway may refuse as large a head by a page of its own. */
const headBytesUsual = 8000

function hasHugeHead({ request }: Exchange): boolean {
  return request.headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > headBytesUsual
}

/** A body by its two ends: what makes it no JSON may be at either. */
function endsOf(body: string): string {
  return JSON.stringify(body.length <= 60 ? body : `${body.slice(0, 35)} … ${body.slice(-20)}`)
}

export const http = clause('4.1', [
  should('http.malformed-json-refused', {
    states: ['request-is-json', 'client-errors-are-4xx'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 8, tokens: 0, quick: 2 },
    wrong: 'A body that is not valid JSON was not refused with a 4xx.',
    why: 'SDKs send the same bytes again when a parser error becomes a 5xx.',
    fix: 'Answer a body that is not JSON with 400, in both modes.',
    async run({ few, probe, expect, model }) {
      const whole = chatText(model, {})
      const bodies = [
        whole.slice(0, -1),
        `${whole.slice(0, -1)},}`,
        'hello',
        '{',
        `${whole}}`,
        "{'model':'x'}",
        whole.replace('{', '{"stream":true,').slice(0, -2),
        '\u0000',
      ]
      await sideBySide(few(bodies), async (body) => {
        const answer = await probe(body)
        expect(`status for the body ${endsOf(body)}`, answer.status, answer).isStatus('4xx')
      })
    },
  }),
  should('http.empty-body-refused', {
    states: ['request-is-json', 'client-errors-are-4xx'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    // Nothing is read as an object without fields.
    sameCauseAs: ['request.messages-required'],
    cost: { requests: 1, tokens: 0 },
    wrong: 'A request without a body was not refused with a 4xx.',
    why: 'A client whose body was lost on the way is answered as if it had asked.',
    fix: 'Answer an empty body with 400.',
    async run({ probe, expect }) {
      const answer = await probe('')
      expect('status for an empty body', answer.status, answer).isStatus('4xx')
    },
  }),
  should('http.serves-after-bad-requests', {
    states: ['next-request-is-served'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 24, tokens: 1400, quick: 5 },
    wrong: 'A good request after bad ones got no reply.',
    coversNoReply: true,
    why: "One client's odd value must not take the server down for others.",
    fix: 'Keep what belongs to one request in that request.',
    async run({ few, probe, ask, askStream, expect, model, prepared }) {
      const oddBodies = [
        '{',
        '{"model":5}',
        chatText(model, { temperature: -1 }),
        chatText(model, { top_p: 9 }),
        chatText(model, { messages: [] }),
        chatText('assay-no-such-model', {}),
        chatText(model, { stop: 7 }),
        chatText(model, { max_tokens: 'many' }),
      ]
      for (const body of few(oddBodies)) {
        await probe(body)
        const reply = await ask(again)
        expect(
          `choices of a good request after ${body.slice(0, 80)}`,
          listAt(reply.json, 'choices').length,
          reply,
        ).isAtLeast(1)
      }
      if (!prepared.works.stream) return
      const stream = await askStream(again)
      expect('data events after bad requests', stream.chunks.length, stream).isAtLeast(1)
    },
  }),
  must('http.bad-requests-close-nothing', {
    states: ['next-request-is-served', 'listed-models-answer'],
    dependsOn: ['chat.answers'],
    sameCauseAs: ['http.serves-after-bad-requests'],
    phase: 'exclusive',
    cost: { requests: 30, tokens: 200, quick: 6 },
    wrong: 'A plain request right after five bad ones was not served.',
    why: "Anybody can cut off everybody when a circuit breaker counts clients' mistakes as node failures.",
    fix: 'Count only what the nodes did wrong.',
    run: (context) =>
      holdServedAfter(context, 'five bad requests', again, async () => {
        // A gateway may refuse some by itself, and pass others on to a node that does.
        for (const bad of [{ temperature: 9 }, { top_p: 9 }, { messages: 'none' }, { stop: 7 }, { max_tokens: 'many' }])
          await context.send(chatRequest(context.model, bad))
      }),
  }),
  should('http.content-type-parameters', {
    states: ['request-is-json'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 4, tokens: 240 },
    wrong: 'A JSON media type with a charset or in capitals was not accepted.',
    coversNoReply: true,
    why: 'Many clients add a charset to the media type, and some write its name in capitals.',
    fix: 'Compare the media type without its parameters and without case.',
    async run({ ask, expect }) {
      for (const type of ['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON']) {
        const reply = await ask({}, { headers: [['Content-Type', type]] })
        expect(`status with Content-Type: ${type}`, reply.status, reply).isStatus('2xx')
      }
    },
  }),
  should('http.other-content-types-no-server-error', {
    states: ['client-errors-are-4xx'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 4, tokens: 240, quick: 2 },
    wrong: 'A body of another media type got neither a 2xx nor a 4xx.',
    why: 'A client with an odd media type must not crash the server for everybody.',
    fix: 'Read JSON whatever its label, or refuse it with 415.',
    async run({ few, probe, expect }) {
      for (const type of few(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'nonsense'])) {
        const answer = await probe({}, { headers: [['Content-Type', type]] })
        expect(`status with Content-Type: ${type}`, answer.status, answer).isStatus('2xx', '4xx')
      }
    },
  }),
  should('http.unknown-path', {
    states: ['http-rules'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 8, tokens: 0, quick: 4 },
    wrong: 'A request to an unknown path was not answered with a 4xx.',
    why: 'Clients take a landing page under a 200 for a reply.',
    fix: 'Answer a path that does not exist with 404.',
    async run({ few, settled, expect, model, undecidable }) {
      await sideBySide(few(['/no-such-path', '/chat/no-such-path', '/chat/completionsx', '/modelsx']), async (path) => {
        const posted = await settled({ method: 'POST', path, body: chatText(model, {}) })
        // What passes such paths on to a node says what it says of a node that rests.
        if (posted.status === 503) throw undecidable(`POST ${path} was temporarily refused`)
        expect(`status of POST ${path}`, posted.status, posted).isStatus('4xx')
        const got = await settled({ method: 'GET', path })
        expect(`status of GET ${path}`, got.status, got).isStatus('4xx')
      })
    },
  }),
  should('http.wrong-method', {
    states: ['http-rules'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 5, tokens: 0, quick: 2 },
    wrong: 'A request with a wrong method got neither a 4xx nor a 501.',
    why: 'Health checks and scanners send every method, and none may crash the server for its users.',
    fix: 'Answer a method that a path does not support with 405 or 404.',
    async run({ few, settled, expect, model }) {
      const requests = [
        { method: 'GET', path: chatPath },
        { method: 'PUT', path: chatPath, body: chatText(model, {}) },
        { method: 'DELETE', path: chatPath },
        { method: 'DELETE', path: modelsPath },
        { method: 'PUT', path: modelsPath, body: '{}' },
      ] as const
      await sideBySide(few(requests), async (request) => {
        const answer = await settled(request)
        // Some keep replies, and list them there.
        const isList = request.method === 'GET' && isSuccess(answer) && textAt(answer.json, 'object') === 'list'
        if (isList) return
        expect(`status of ${request.method} ${request.path}`, answer.status, answer).isStatus('4xx', 501)
      })
    },
  }),
  should('http.errors-are-json', {
    states: ['error-body-readable'],
    dependsOn: ['chat.answers'],
    phase: 'audit',
    cost: { requests: 0, tokens: 0 },
    wrong: 'The body of an error is neither JSON nor plain text, as its media type says.',
    why: 'SDKs parse error bodies, and users see a syntax error in place of the status when it is HTML.',
    fix: 'Send errors as JSON with a JSON media type, as plain text, or without a body.',
    async run({ samples, target, expect, notApplicable }) {
      // What the server says at other paths may not be the gateway's.
      const withBody = (await samples.refusals()).filter(
        ({ text, exchange }) =>
          text.trim() !== '' &&
          headerOf(exchange, 'content-encoding') === undefined &&
          !hasHugeHead(exchange) &&
          exchange.request.method === 'POST' &&
          exchange.request.url === target.urlOf(chatPath),
      )
      if (withBody.length === 0) throw notApplicable('no error of a chat request has a body without content coding')
      for (const answer of withBody) {
        expect('body of an error', answer.text.slice(0, 200), answer).satisfies(
          'JSON or plain text',
          isReadableError(answer),
        )
      }
    },
  }),
  should('http.errors-show-no-stack', {
    states: ['errors-hide-the-inside'],
    dependsOn: ['chat.answers'],
    phase: 'audit',
    cost: { requests: 0, tokens: 0 },
    wrong: 'An error shows a stack trace.',
    why: 'Paths and lines of code help attackers, and tell clients nothing.',
    fix: 'Log the details, and answer with a message for the client.',
    async run({ samples, expect, notApplicable }) {
      const refusals = (await samples.refusals()).filter(({ text }) => text.trim() !== '')
      if (refusals.length === 0) throw notApplicable('no error has a body')
      for (const answer of refusals)
        expect('a stack trace in an error', stackFrameIn(answer.text), answer).is(undefined)
    },
  }),
  should('http.retry-after-readable', {
    states: ['retry-after-readable'],
    dependsOn: ['chat.answers'],
    phase: 'audit',
    cost: { requests: 0, tokens: 0 },
    wrong: 'A Retry-After is neither whole seconds nor an HTTP date.',
    why: 'A client that cannot read how long to wait does not wait, or waits forever.',
    fix: 'Write `Retry-After`, if sent, as whole seconds or an HTTP date (RFC 9110, 10.2.3).',
    async run({ samples, expect, notApplicable }) {
      const told = (await samples.refusals()).flatMap((answer) => {
        const value = headerOf(answer.exchange, 'retry-after')
        return value === undefined ? [] : [{ answer, value }]
      })
      if (told.length === 0) throw notApplicable('no refusal has Retry-After')
      for (const { answer, value } of told) {
        const readable = /^\d+$/.test(value) || /^[A-Z][a-z]{2}, .* GMT$/.test(value)
        expect('Retry-After', value, answer).satisfies('whole seconds or an HTTP date', readable)
      }
    },
  }),
  open('http.odd-requests', {
    states: ['http-open'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 7, tokens: 300, quick: 5 },
    why: 'Clients want to know how a gateway treats trailing slashes, preflights and byte order marks.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ send, probe, model }) {
      const body = chatText(model, {})
      const preflight = await send({
        method: 'OPTIONS',
        path: chatPath,
        key: null,
        headers: [
          ['Origin', 'https://client.example'],
          ['Access-Control-Request-Method', 'POST'],
        ],
      })
      return {
        trailingSlash: (await send({ method: 'POST', path: `${chatPath}/`, body })).status,
        preflight: preflight.status,
        byteOrderMark: (await probe(new Uint8Array(Buffer.from(`\ufeff${body}`)))).status,
        headOfModels: (await send({ method: 'HEAD', path: modelsPath })).status,
        longHeader: (await probe({}, { headers: [['X-Long', 'x'.repeat(6000)]] })).status,
      }
    },
  }),
])
