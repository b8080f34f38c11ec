import { clause, must } from '../../src/check/check.ts'
import { finding } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
import { type Answer, finishReasonOf, isSuccess, type StreamAnswer } from '../../src/target/answer.ts'
import { chatRequest } from '../../src/target/chat.ts'
import { outcome } from '../../src/target/settle.ts'

/** Long enough that another request comes while it is written. */
const streamed = {
  messages: [{ role: 'user', content: 'Tell me a story about a lamp.' }],
  max_tokens: 32,
  stream: true,
}
const noReason = 'without a finish reason'

/** How a stream ended, as its client sees it. */
function endOf(stream: StreamAnswer): string {
  if (!stream.done && stream.exchange.ending !== 'complete') return `cut off (${stream.exchange.ending})`
  return String(finishReasonOf(stream) ?? noReason)
}

export const interruptedStreams = clause('1', [
  must('concurrency.streams-not-interrupted', {
    states: ['each-gets-its-own-reply'],
    dependsOn: ['stream.answers'],
    cost: { requests: 15, tokens: 900 },
    why: 'A reply that ends because somebody else asked something is lost, and often looks complete.',
    fix: 'Let the other request wait, or refuse it; do not end a stream for it.',
    async run({ send, sendStream, model, expect, undecidable, notApplicable }) {
      const alone = (): Promise<StreamAnswer> => sendStream(chatRequest(model, streamed, { alone: true }))
      const first = await alone()
      const usual = endOf(first)
      if (!isSuccess(first)) throw undecidable(`a stream with nothing beside it got ${outcome(first)}`)
      if (finishReasonOf(first) === undefined)
        throw notApplicable('streams carry no finish reason, so that none would be missed')
      let latest = first
      const isInterrupted = async (): Promise<boolean> => {
        let other: Promise<Answer> | undefined
        latest = await sendStream(chatRequest(model, streamed), {
          onFirstContent() {
            other = send(chatRequest(model, { max_tokens: 1 }, { burst: true }))
          },
        })
        await other
        if (other === undefined) throw undecidable('the stream was refused, or had no text')
        return endOf(latest) !== usual
      }
      const found = await finding(rules.interrupted, isInterrupted, async () => endOf(await alone()) !== usual)
      if (found === 'chance') throw undecidable('streams end in different ways by themselves')
      expect('how a stream ended beside which another request came', endOf(latest), latest).is(usual)
    },
  }),
])
