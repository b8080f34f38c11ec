import { clause, must, should } from '../../src/check/check.ts'
import { isRecord } from '../../src/json.ts'
import { contentOf } from '../../src/target/answer.ts'

/** Together with what surrounds it, longer than the smaller buffers of a server. */
const long = '日本語'.repeat(58)

/** Text that is hard to carry. */
export const text = clause('2.2', [
  must('message.long-unicode-comes-whole', {
    states: ['message-content-string'],
    dependsOn: ['message.unicode-accepted', 'stream.answers'],
    cost: { requests: 4, tokens: 1800, quick: 2 },
    wrong: 'A long reply outside ASCII came with damaged letters.',
    why: 'Users read question marks where the end of a buffer cut a multi-byte letter.',
    fix: 'Encode a reply as a whole, or keep the bytes of a letter together.',
    async run({ ask, askStream, expect, undecidable }) {
      let repeated = 0
      // One more byte moves every buffer border, so one of the two cuts a letter.
      for (const before of ['', 'x']) {
        const messages = [{ role: 'user', content: `Repeat exactly: ${before}${long}` }]
        const reply = await ask({ messages, max_tokens: 260 })
        const said = contentOf(reply) ?? ''
        const damaged = said.match(/\ufffd/g)?.length ?? 0
        // A model may write the replacement character itself: then it also does so in a stream.
        if (damaged > 0 && (await askStream({ messages, max_tokens: 260 })).content.includes('\ufffd')) continue
        if (said.includes('日本語日本語')) repeated += 1
        expect('damaged letters in a long reply', damaged, reply).is(0)
      }
      if (repeated === 0) throw undecidable('the model does not repeat text outside ASCII unchanged')
    },
  }),
  should('message.control-characters-come-back', {
    states: ['message-content-string'],
    sameCauseAs: ['message.unicode-accepted'],
    dependsOn: [
      'chat.answers',
      'stream.answers',
      'reply.one-json-value',
      'chunk.is-json',
      'stream.ends-with-done',
      'stream.nothing-after-done',
      'stream.no-empty-data',
    ],
    phase: 'last',
    cost: { requests: 2, tokens: 260 },
    wrong: 'A reply or a stream with control characters is not valid JSON.',
    why: 'Clients that ask about terminal logs cannot parse a reply that quotes an escape badly.',
    fix: 'Write replies with a JSON encoder: U+001B is \\u001b, never \\x1b.',
    async run({ ask, askStream, expect }) {
      const messages = [
        { role: 'user', content: 'Repeat exactly: C:\\dir \\d+ \u001b[1m bold \u0001 \u0007 \u007f \b \f end' },
      ]
      const body = { messages, max_tokens: 64 }
      const reply = await ask(body)
      expect('whether the reply to control characters is JSON', isRecord(reply.json), reply).is(true)
      const stream = await askStream(body)
      const broken = stream.chunks.find(({ json }) => !isRecord(json))
      expect('an event that is not a JSON object', broken?.frame.data, stream).is(undefined)
    },
  }),
  should('message.invalid-utf8-answered', {
    states: ['client-errors-are-4xx'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 2, tokens: 120, quick: 1 },
    wrong: 'A body that is not UTF-8 got neither a 2xx nor a 4xx.',
    why: 'A decoder that throws outside the handler leaves the client without any answer.',
    fix: 'Refuse a body that is not UTF-8 with a 4xx, or replace the bad bytes.',
    async run({ probe, expect, model }) {
      const text = JSON.stringify({ model, messages: [{ role: 'user', content: 'Say XX hello.' }], max_tokens: 8 })
      const body = Buffer.from(text)
      body[text.indexOf('XX')] = 0xff
      body[text.indexOf('XX') + 1] = 0xc3
      const answer = await probe(new Uint8Array(body))
      expect('status for a body that is not UTF-8', answer.status, answer).isStatus('2xx', '4xx')
    },
  }),
])
