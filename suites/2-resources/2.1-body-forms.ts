import { clause, must, should } from '../../src/check/check.ts'
import { inAscii, spacedOut } from '../../src/contract/json-forms.ts'
import { isRecord, numberAt } from '../../src/json.ts'
import { isSuccess } from '../../src/target/answer.ts'
import { chatText } from '../../src/target/chat.ts'

const manyCharacters = 'Zoë, cafés, naïve "日本語" 👩\u200d💻 \\ / ½ '

const nameEscaped = (body: string): string => body.replace('"messages"', '"m\\u0065ssages"')
const inCapitals = (body: string): string =>
  body.replaceAll(/\\u[0-9a-f]{4}/g, (one) => `\\u${one.slice(2).toUpperCase()}`)
const slashed = (body: string): string => body.replaceAll('/', '\\/')

/** Two bodies that are the same JSON, written differently. */
export const bodyForms = clause('2.1', [
  should('request.escapes-are-read', {
    states: ['request-is-json'],
    phase: 'odd',
    dependsOn: ['chat.answers', 'message.unicode-accepted'],
    cost: { requests: 7, tokens: 740, quick: 3 },
    wrong: 'A prompt written with JSON escapes was not served, or was counted differently.',
    coversNoReply: true,
    why: 'Python writes JSON in ASCII, so a bug in escapes hits half of all clients.',
    fix: 'Parse the body with a JSON parser, which reads a pair of surrogate escapes as one character.',
    async run({ few, ask, model, expect, undecidable }) {
      const tokensOf = async (body: string) => numberAt((await ask(body)).json, 'usage', 'prompt_tokens')
      const short = chatText(model, { messages: [{ role: 'user', content: manyCharacters + '\b\f'.repeat(40) }] })
      const text = short.replaceAll('\\b', '\\u0008').replaceAll('\\f', '\\u000c')
      const plain = await tokensOf(text)
      for (const [how, escaped] of few([
        ['outside ASCII', nameEscaped(inAscii(text))],
        ['in upper case', inCapitals(inAscii(text))],
        ['at each slash', slashed(text)],
        ['with \\b and \\f in their short form', short],
        ['in all of these ways', slashed(inCapitals(nameEscaped(inAscii(short))))],
      ] as const)) {
        const tokens = await tokensOf(escaped)
        if (tokens !== plain && (await tokensOf(text)) !== plain)
          throw undecidable('the tokens of one prompt are not always counted alike')
        expect(`prompt_tokens of the same prompt, escaped ${how}`, tokens).is(plain)
      }
    },
  }),
  must('request.white-space-is-free', {
    states: ['request-is-json', 'stream-reply-is-sse'],
    phase: 'odd',
    dependsOn: ['message.any-content-accepted', 'chat.answers', 'stream.answers', 'stream.false-means-json'],
    cost: { requests: 3, tokens: 180 },
    wrong: 'White space or quoted JSON in a request changed whether it was served or streamed.',
    coversNoReply: true,
    why: 'A gateway that searches the bytes for `"stream":true` fails clients that write a space, or quote it in a prompt.',
    fix: 'Parse the body; never search it.',
    async run({ ask, askStream, model, expect }) {
      const messages = [{ role: 'user', content: 'Say hello.' }]
      const stream = await askStream(spacedOut(chatText(model, { messages, stream: true })))
      expect('data events of a stream requested with white space in the JSON', stream.chunks.length, stream).isAtLeast(
        1,
      )
      const quoted = [{ role: 'user', content: 'What is {"stream":true} and "stream": true?' }]
      const replies = [
        await ask(spacedOut(chatText(model, { messages, stream: false }))),
        await ask({ messages: quoted, stream: false }),
      ]
      for (const reply of replies)
        expect('whether a reply that was not to be streamed is JSON', isRecord(reply.json), reply).is(true)
    },
  }),
  must('request.any-size-accepted', {
    states: ['request-is-json'],
    phase: 'odd',
    dependsOn: ['chat.answers', 'window.large-body-accepted'],
    cost: { requests: 5, tokens: 300, quick: 2 },
    wrong: 'A valid body of 4 to 128 KiB was not served.',
    coversNoReply: true,
    why: 'Clients whose body just fills a buffer are refused as too large, or wait without end.',
    fix: "Read as many bytes as the request's headers announce.",
    async run({ few, ask, model, expect }) {
      const text = chatText(model, {})
      // White space after the value costs no tokens.
      for (const size of few([4096, 8192, 16_384, 65_536, 131_072])) {
        const reply = await ask(text.padEnd(size, ' '))
        expect(`status for a body of ${size} bytes`, reply.status, reply).isStatus('2xx')
      }
    },
  }),
  must('request.model-may-come-last', {
    states: ['request-is-json', 'request-model-required'],
    needs: ['costly'],
    phase: 'odd',
    dependsOn: ['chat.answers', 'request.key-order-is-free'],
    cost: { requests: 4, tokens: 60_500 },
    wrong: 'A request whose model stands after a long prompt was not served.',
    coversNoReply: true,
    why: 'Long conversations fail when a router looks for the model only in the first bytes of a body.',
    fix: 'Read the whole body before routing it.',
    async run({ ask, probe, model, expect, undecidable }) {
      for (const bytes of [20_000, 80_000]) {
        const messages = [{ role: 'user', content: 'The tide comes in and goes out. '.repeat(bytes / 32) }]
        const first = JSON.stringify({ model, max_tokens: 2, messages })
        const { status } = await probe(first)
        if (!isSuccess({ status }))
          throw undecidable(
            `a prompt of ${bytes} bytes that begins with the model was answered with ${status ?? 'nothing'}`,
          )
        const last = await ask(JSON.stringify({ messages, max_tokens: 2, model }))
        expect(`status when the model stands after ${bytes} bytes`, last.status, last).isStatus('2xx')
      }
    },
  }),
])
