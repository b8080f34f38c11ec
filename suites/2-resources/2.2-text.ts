import { clause, must, should } from '../../src/check/check.ts'
import { isRecord } from '../../src/json.ts'
import { contentOf } from '../../src/target/answer.ts'

/** With what stands around it longer than the smaller buffers of a server. */
const long = '日本語'.repeat(58)

/** Text that is hard to carry. */
export const text = clause('2.2', [
  must('message.long-unicode-comes-whole', {
    states: ['message-content-string'],
    dependsOn: ['message.unicode-accepted', 'stream.answers'],
    cost: { requests: 4, tokens: 1800 },
    why: 'A letter of three bytes that is cut by the end of a buffer becomes two question marks.',
    fix: 'Encode a reply as a whole, or keep the bytes of a letter together.',
    async run({ ask, askStream, expect, undecidable }) {
      let repeated = 0
      // One byte more moves every border: one of the two cuts a letter.
      for (const before of ['', 'x']) {
        const messages = [{ role: 'user', content: `Repeat exactly: ${before}${long}` }]
        const reply = await ask({ messages, max_tokens: 260 })
        const said = contentOf(reply) ?? ''
        const damaged = said.match(/\ufffd/g)?.length ?? 0
        // A model may write the sign for a damaged letter itself: then it does so in a stream, too.
        if (damaged > 0 && (await askStream({ messages, max_tokens: 260 })).content.includes('\ufffd')) continue
        if (said.includes('日本語日本語')) repeated += 1
        expect('damaged letters in a long reply', damaged, reply).is(0)
      }
      if (repeated === 0) throw undecidable('the model does not repeat what is outside ASCII as it stands')
    },
  }),
  should('message.control-characters-come-back', {
    states: ['message-content-string'],
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
    cost: { requests: 2, tokens: 120 },
    why: 'Logs of terminals are full of escapes; a reply that quotes one must still be JSON.',
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
      expect('an event that is no JSON object', broken?.frame.data, stream).is(undefined)
    },
  }),
])
