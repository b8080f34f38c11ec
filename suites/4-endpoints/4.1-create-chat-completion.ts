import { askPlainly } from '../../src/asking/ask-plainly.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import { listAt } from '../../src/json.ts'
import { sideBySide } from '../../src/repeat/side-by-side.ts'
import { contentOf } from '../../src/target/answer.ts'
import { failsInItsStream } from '../../src/target/served.ts'
import { headerOf, mediaType } from '../../src/wire/transcript.ts'

export const createChatCompletion = clause('4.1', [
  must('chat.answers', {
    states: ['chat-post-creates-completion'],
    phase: 'first',
    cost: { requests: 8, tokens: 480, quick: 1 },
    wrong: 'A plain request got no reply.',
    coversNoReply: true,
    why: 'No client can use a gateway that does not complete a plain chat.',
    fix: 'Answer POST /chat/completions with a 200 and a JSON object that holds `choices`.',
    async run(context) {
      const reply = await askPlainly(context)
      const isEvents = mediaType(reply.exchange) === 'text/event-stream' || reply.text.startsWith('data:')
      const what = isEvents ? 'choices in the reply, which is an event stream' : 'choices in the reply'
      context.expect(what, listAt(reply.json, 'choices').length, reply).isAtLeast(1)
    },
  }),
  must('stream.answers', {
    states: ['stream-reply-is-sse', 'events-are-chunks'],
    phase: 'first',
    cost: { requests: 8, tokens: 480, quick: 1 },
    wrong: 'A plain request with stream: true got no event with choices.',
    coversNoReply: true,
    why: 'Every streaming client reads data events, and shows an empty reply without them.',
    fix: 'Send a `data: <chunk>` event for each piece of the reply when `stream` is true.',
    async run({ askStream, expect }) {
      const stream = await askStream()
      expect(
        'data events with choices',
        stream.chunks.filter(({ json }) => listAt(json, 'choices').length > 0).length,
        stream,
      ).isAtLeast(1)
    },
  }),
  must('reply.content-type', {
    states: ['reply-is-json'],
    dependsOn: ['chat.answers'],
    phase: 'audit',
    cost: { requests: 0, tokens: 0 },
    wrong: 'The media type of a reply is not application/json.',
    why: 'HTTP clients choose the decoder by the media type, and fail on a wrong one.',
    fix: 'Send `Content-Type: application/json` with replies that are not streamed.',
    async run({ samples, expect, undecidable }) {
      // What is no JSON is no reply with a wrong label: other checks say so.
      const replies = (await samples.replies()).filter(({ answer }) => answer.json !== undefined)
      if (replies.length === 0) throw undecidable('no reply is JSON')
      for (const { answer } of replies)
        expect('media type of a reply', mediaType(answer.exchange), answer).is('application/json')
    },
  }),
  must('reply.one-json-value', {
    states: ['reply-is-json'],
    dependsOn: ['chat.answers'],
    sameCauseAs: ['stream.absent-means-json', 'stream.false-means-json'],
    phase: 'audit',
    cost: { requests: 0, tokens: 0 },
    wrong: 'A reply is not one JSON value in UTF-8.',
    why: 'Every client library fails on a reply that is not one JSON value in UTF-8.',
    fix: 'Write exactly one JSON object, encoded as UTF-8 without a byte order mark.',
    async run({ samples, expect }) {
      for (const { answer } of await samples.replies()) {
        expect('the body of a reply', answer.text.slice(0, 200), answer).satisfies(
          'one JSON value',
          answer.json !== undefined,
        )
        const bytes = Buffer.concat(answer.exchange.arrivals.map(({ bytes: part }) => part))
        expect('bytes of a reply', bytes.length, answer).satisfies(
          'well-formed UTF-8',
          Buffer.from(answer.text).equals(bytes),
        )
      }
    },
  }),
  must('stream.content-type', {
    states: ['stream-reply-is-sse'],
    dependsOn: ['stream.answers'],
    phase: 'audit',
    cost: { requests: 0, tokens: 0 },
    wrong: 'The media type of a stream is not text/event-stream, or it has no event.',
    why: 'EventSource clients and proxies recognize an event stream only by its media type.',
    fix: 'Send `Content-Type: text/event-stream` with every stream.',
    async run({ samples, expect }) {
      const streams = await samples.streams()
      // Where no stream has an end marker, one whose text is empty has no event at all, and that is told already.
      const haveEnds = streams.some(({ answer }) => answer.done)
      for (const { answer } of streams) {
        expect('media type of a stream', mediaType(answer.exchange), answer).is('text/event-stream')
        const least = haveEnds && answer.exchange.ending !== 'left' ? 1 : 0
        expect('data events of a stream', answer.events.length, answer).isAtLeast(least)
      }
    },
  }),
  must('stream.absent-means-json', {
    states: ['stream-defaults-to-false'],
    phase: 'first',
    dependsOn: ['chat.answers'],
    sameCauseAs: ['reply.content-type'],
    cost: { requests: 3, tokens: 180 },
    wrong: 'A request without stream got an answer that is not application/json.',
    why: 'Clients that did not ask for a stream cannot parse one.',
    fix: 'Stream only where `stream` is true: it is false where it is absent, whatever the Accept header says.',
    async run({ ask, probe, prepared, expect }) {
      // Where no request without `stream` gets a reply, this check alone says so: no audit looks at what comes instead.
      const asking = prepared.streamsUnasked === true ? probe : ask
      for (const accept of ['*/*', 'application/json', 'text/event-stream']) {
        const reply = await asking({ stream: undefined }, { headers: [['Accept', accept]] })
        expect(`media type with Accept: ${accept}`, mediaType(reply.exchange), reply).is('application/json')
      }
    },
  }),
  must('stream.false-means-json', {
    states: ['stream-false-is-json'],
    phase: 'first',
    dependsOn: ['chat.answers'],
    sameCauseAs: ['reply.content-type', 'stream.absent-means-json'],
    cost: { requests: 3, tokens: 180 },
    wrong: 'A request with stream: false got no JSON reply with text.',
    why: 'Clients that send `stream: false` can only parse one JSON object.',
    fix: 'Decide only by the `stream` field, whatever the Accept header says.',
    async run({ ask, expect }) {
      for (const accept of ['*/*', 'application/json', 'text/event-stream']) {
        const reply = await ask({ stream: false }, { headers: [['Accept', accept]] })
        expect(`media type with Accept: ${accept}`, mediaType(reply.exchange), reply).is('application/json')
        expect('text of the reply', typeof contentOf(reply), reply).is('string')
      }
    },
  }),
  must('stream.true-means-events', {
    states: ['stream-reply-is-sse'],
    phase: 'first',
    dependsOn: ['stream.answers'],
    cost: { requests: 2, tokens: 120 },
    wrong: 'A stream asked for with an Accept header brought no events.',
    coversNoReply: true,
    why: 'A client that asked for a stream finds no events in a JSON object.',
    fix: 'Decide only by the `stream` field, whatever the Accept header says.',
    async run({ askStream, expect }) {
      for (const accept of ['application/json', 'text/event-stream']) {
        const stream = await askStream({}, { headers: [['Accept', accept]] })
        expect(`data events with Accept: ${accept}`, stream.chunks.length, stream).isAtLeast(1)
      }
    },
  }),
  should('stream.wrong-type-refused', {
    states: ['stream-is-boolean'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 6, tokens: 60, quick: 2 },
    wrong: 'A stream field that is neither true nor false was not refused with a 4xx.',
    why: 'A client cannot read the reply when a value of the wrong type selects the other mode.',
    fix: 'Refuse a `stream` that is not a boolean with a 4xx.',
    async run({ few, probe, expect }) {
      await sideBySide(few(['true', 'false', 1, 0, [], {}]), async (stream) => {
        const answer = await probe({ stream })
        if (failsInItsStream(answer)) return
        expect(`status for stream: ${JSON.stringify(stream)}`, answer.status, answer).isStatus('4xx')
      })
    },
  }),
  open('stream.null', {
    states: ['unknown-values-open'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    why: 'Some client libraries send null for a field that was not set.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ probe }) {
      return { status: (await probe({ stream: null })).status }
    },
  }),
  must('reply.model-each', {
    states: ['listed-models-answer'],
    phase: 'early',
    dependsOn: ['chat.answers'],
    cost: { requests: 10, tokens: 600, quick: 3 },
    wrong: 'A listed model gave no reply.',
    coversNoReply: true,
    why: 'Clients fail when they pick a listed model that does not answer.',
    fix: 'List only models that answer, and drop a model when its last node goes.',
    async run({ ask, prepared, expect }) {
      for (const { id } of prepared.roster.slice(0, 10)) {
        const reply = await ask({ model: id })
        expect(`choices of a reply by ${id}`, listAt(reply.json, 'choices').length, reply).isAtLeast(1)
      }
      if (prepared.roster.length === 0)
        expect('choices of the reply', listAt((await ask()).json, 'choices').length).isAtLeast(1)
    },
  }),
  must('stream.model-each', {
    states: ['listed-models-answer', 'stream-reply-is-sse'],
    phase: 'early',
    dependsOn: ['stream.answers', 'reply.model-each'],
    cost: { requests: 10, tokens: 600, quick: 3 },
    wrong: 'A listed model gave no stream of events.',
    coversNoReply: true,
    why: 'Clients of one model may get no stream when it is served by a path of its own.',
    fix: 'Stream for every listed model.',
    async run({ askStream, prepared, model, expect }) {
      const ids = prepared.roster.length === 0 ? [model] : prepared.roster.slice(0, 10).map(({ id }) => id)
      for (const id of ids) {
        const stream = await askStream({ model: id })
        expect(`data events of a stream by ${id}`, stream.chunks.length, stream).isAtLeast(1)
      }
    },
  }),
  open('reply.headers', {
    states: ['reply-headers-open'],
    dependsOn: ['chat.answers'],
    why: 'Clients that use extra headers want to know which ones a gateway adds.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ ask }) {
      const { exchange } = await ask()
      return exchange.head?.headers.map(([name]) => name.toLowerCase()).sort()
    },
  }),
  open('stream.headers', {
    states: ['reply-headers-open'],
    dependsOn: ['stream.answers'],
    why: 'Users behind a proxy get streams late without the right cache and buffering headers.',
    fix: 'Nothing to mend: the contract leaves it open. `Cache-Control: no-cache` and `X-Accel-Buffering: no` help.',
    async run({ askStream }) {
      const { exchange } = await askStream()
      return Object.fromEntries(
        ['content-type', 'cache-control', 'x-accel-buffering', 'content-encoding'].map((name) => [
          name,
          headerOf(exchange, name) ?? null,
        ]),
      )
    },
  }),
  open('request.unknown-fields', {
    states: ['unknown-values-open'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 6, tokens: 360 },
    why: 'Clients of the format send more fields than the contract shows, and want to know what happens.',
    fix: 'Nothing to mend: the contract leaves it open whether they are ignored or refused.',
    async run({ probe }) {
      const fields = { user: 'assay', seed: 1, n: 1, presence_penalty: 0, logprobs: false, x_unknown: 'x' }
      const seen: Record<string, number | undefined> = {}
      for (const [name, value] of Object.entries(fields)) seen[name] = (await probe({ [name]: value })).status
      return seen
    },
  }),
  should('request.unknown-fields-no-server-error', {
    states: ['client-errors-are-4xx'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 4, tokens: 240 },
    wrong: 'An unknown field or value got neither a 2xx nor a 4xx.',
    why: 'SDKs retry a 5xx, so a request that can never succeed is sent again and again.',
    fix: 'Ignore an unknown field, or refuse it with a 4xx.',
    async run({ probe, expect }) {
      for (const body of [
        { x_unknown: { deep: [1, null] } },
        { user: null },
        { stream: null },
        { stream_options: { include_usage: 'yes' }, stream: false },
      ]) {
        const answer = await probe(body)
        expect(`status with ${JSON.stringify(body)}`, answer.status, answer).isStatus('2xx', '4xx')
      }
    },
  }),
  should('request.key-order-is-free', {
    states: ['request-is-json'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 2, tokens: 120 },
    wrong: 'The same request in another spelling of JSON got no reply.',
    coversNoReply: true,
    why: 'Encoders differ between languages, and clients of an unusual one must not be refused.',
    fix: 'Read the body with a JSON parser and nothing else.',
    async run({ ask, model, prepared, expect }) {
      const stream = prepared.streamsUnasked === true ? ',"stream":false' : ''
      const escaped = [...model].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
      for (const body of [
        ` {\n\t"max_tokens" : 8 ,\r\n "messages":[ {"content":"Say hello.","role":"user"} ], "model":${JSON.stringify(model)}${stream} }\n`,
        `{"model":"${escaped}","messages":[{"role":"\\u0075ser","content":"Say \\u0068ello."}],"max_tokens":8${stream}}`,
      ]) {
        const reply = await ask(body)
        expect(
          'choices for the same request in another spelling',
          listAt(reply.json, 'choices').length,
          reply,
        ).isAtLeast(1)
      }
    },
  }),
])
