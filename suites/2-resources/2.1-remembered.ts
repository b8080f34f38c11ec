import { setTimeout as sleep } from 'node:timers/promises'
import { baselineOf } from '../../src/asking/baseline.ts'
import { holdServedAfter } from '../../src/asking/served-after.ts'
import { commonIn, phrases } from '../../src/asking/stop-text.ts'
import { clause, must } from '../../src/check/check.ts'
import { at, numberAt, textAt } from '../../src/json.ts'
import { finding } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
import { contentChunks, contentOf, finishReasonOf, type StreamAnswer } from '../../src/target/answer.ts'
import { chatRequest } from '../../src/target/chat.ts'

const noticedWithinMs = 100
/** After so many fragments without an end, a reply without a limit may fill the window: all others are left early. */
const longReply = 200

function idsIn({ chunks }: StreamAnswer): ReadonlySet<string> {
  return new Set(chunks.map(({ json }) => textAt(json, 'id') ?? '').filter((id) => id !== ''))
}

/** What one request leaves behind for the next. */
export const remembered = clause('2.1', [
  must('max-tokens.not-remembered', {
    states: ['max-tokens-limits'],
    dependsOn: ['max-tokens.limits-the-text', 'max-tokens.limits-the-stream'],
    phase: 'heavy',
    cost: { requests: 15, tokens: 1240 },
    wrong: 'A limit of two tokens also cut off the next reply or stream.',
    why: 'A limit kept from an earlier request cuts off the replies of clients that never set one.',
    fix: 'Give a request without a limit your default, whatever came before it.',
    async run({ ask, askStream, probe, probeStream, expect }) {
      const messages = [{ role: 'user', content: 'Name five colours and five animals, and nothing else.' }]
      const unlimited = { messages, max_tokens: undefined }
      const limit = { max_tokens: 2 }
      // The last of these is refused, and must not leave anything behind either.
      const earlier = [
        ['a reply', () => probe(limit)],
        ['a stream', () => probeStream(limit)],
        ['a bad request', () => probe({ ...limit, temperature: 9 })],
      ] as const
      const before = await askStream(unlimited, { leaveAfterContent: longReply })
      if (!before.done) {
        for (const [what, askEarlier] of earlier) {
          await askEarlier()
          const stream = await askStream(unlimited, { leaveAfterContent: 8 })
          const isCut = finishReasonOf(stream) === 'length' && contentChunks(stream).length <= 2
          expect(`whether ${what} of two tokens cuts off the next stream too`, isCut, stream).is(false)
        }
        return
      }
      for (const [what, askEarlier] of earlier) {
        for (let round = 0; round < 2; round += 1) {
          await askEarlier()
          const reply = await ask(unlimited)
          const used = numberAt(reply.json, 'usage', 'completion_tokens') ?? Number.POSITIVE_INFINITY
          const isCut = at(reply.json, 'choices', 0, 'finish_reason') === 'length' && used <= 2
          expect(`whether ${what} of two tokens cuts off the next reply too`, isCut, reply).is(false)
        }
      }
      await probeStream(limit)
      const stream = await askStream(unlimited)
      // A gateway may have a small limit of its own, which cuts off both alike.
      const isMuchShorter = stream.content.length * 3 < before.content.length && before.content.length >= 24
      const isCut = finishReasonOf(stream) === 'length' && isMuchShorter
      expect('whether a stream of two tokens cuts off the next stream too', isCut, stream).is(false)
    },
  }),
  must('stop.not-remembered', {
    states: ['stop-ends-text'],
    dependsOn: ['stop.ends-text', 'stop.ends-stream'],
    phase: 'exclusive',
    cost: { requests: 28, tokens: 1900, quick: 2 },
    wrong: 'After a request with a stop sequence, plain replies lack that text.',
    why: 'A stop sequence kept from an earlier request cuts off the replies of clients that never set one.',
    fix: 'Keep the sequences of a request in that request.',
    async run(context) {
      const { ask, expect, undecidable } = context
      const { body, texts } = await baselineOf(context, 'json')
      const [shared] = phrases({ texts })
      // Texts that differ may have no more in common than a character.
      const [phrase, rule] = shared === undefined ? [commonIn(texts), rules.stopKept] : [shared, rules.stopRemembered]
      if (phrase === undefined || !texts.every((text) => text.includes(phrase)))
        throw undecidable('the texts of the model have too little in common')
      const lacks = async (): Promise<boolean> => !(contentOf(await ask(body)) ?? '').includes(phrase)
      const lacksAfter = async (stop: string): Promise<boolean> => {
        await ask({ ...body, stop: [stop] })
        return lacks()
      }
      // If it is also missing after requests that stopped nowhere, the model merely said something different.
      const found = await finding(
        rule,
        () => lacksAfter(phrase),
        () => lacksAfter('\u0001'),
      )
      if (found === 'chance') throw undecidable('the model sometimes says something different')
      const what = `whether ${JSON.stringify(phrase)} is missing from replies after a request that stopped at it`
      expect(what, found === 'wrong').is(false)
    },
  }),
  must('stream.left-spoils-nothing', {
    states: ['next-request-is-served'],
    dependsOn: ['stream.leaving-harms-nobody'],
    phase: 'exclusive',
    cost: { requests: 14, tokens: 1500, quick: 2 },
    wrong: 'A plain request right after an abandoned stream was not served.',
    why: 'What a client breaks by leaving stays broken for the next one.',
    fix: 'End the work of an abandoned request as you end any other.',
    run(context) {
      const { model, sendStream } = context
      const messages = [{ role: 'user', content: 'Tell the story of a lighthouse in 900 words.' }]
      const leave = async (): Promise<void> => {
        await sendStream(chatRequest(model, { messages, max_tokens: 1000, stream: true }), { leaveAfterContent: 1 })
        // A gateway learns of the departure a moment later.
        await sleep(noticedWithinMs)
      }
      return holdServedAfter(context, 'an abandoned stream', {}, leave)
    },
  }),
  must('stream.left-reaches-nobody-else', {
    states: ['each-gets-its-own-reply'],
    dependsOn: ['stream.leaving-harms-nobody'],
    phase: 'exclusive',
    cost: { requests: 10, tokens: 640 },
    wrong: "A stream begun as another was left carries that one's chunks.",
    why: "One client reads what was written for another, and its own text is mixed with somebody else's.",
    fix: 'Tie what a model writes to its request: end it when the client leaves, and never hand its buffer or connection on.',
    async run({ model, nonce, sendStream, expect, notApplicable }) {
      const story = { messages: [{ role: 'user', content: 'Tell the story of a lighthouse in 900 words.' }] }
      let compared = 0
      for (let turn = 0; turn < 2; turn += 1) {
        const left = await sendStream(chatRequest(model, { ...story, max_tokens: 400, stream: true }), {
          leaveAfterContent: 1,
        })
        const begin = (): Promise<StreamAnswer> => {
          const messages = [{ role: 'user', content: `Say hello to ${nonce()}.` }]
          return sendStream(chatRequest(model, { messages, max_tokens: 3, stream: true }, { burst: true }))
        }
        // At once, when the server may not know yet that anybody left, and a moment later, when it does.
        const begun = [...(await Promise.all([begin(), begin(), begin()])), await begin()]
        const [id] = idsIn(left)
        for (const stream of begun) {
          const ids = idsIn(stream)
          if (id === undefined || ids.size === 0) continue
          compared += 1
          // One id for all streams is another failure.
          const isMixed = ids.size > 1 && ids.has(id)
          expect('whether chunks of the stream that was left are among its own', isMixed, stream).is(false)
        }
      }
      if (compared === 0) throw notApplicable('no stream has ids')
    },
  }),
])
