import { clause, must } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { finding, untilRight } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
import {
  contentChunks,
  endOf,
  finishReasonOf,
  hasItsEnd,
  isSuccess,
  type StreamAnswer,
} from '../../src/target/answer.ts'
import { type ChatBody, chatRequest } from '../../src/target/chat.ts'
import { outcome } from '../../src/target/settle.ts'
import { isSoonOver } from '../../src/target/turns/one-at-a-time.ts'

const messages = [{ role: 'user', content: 'Tell me a story about a lamp.' }]
const brief = { messages, max_tokens: 32, stream: true }
/** For a target that is done with the brief one before another request can come. */
const long = { messages, max_tokens: 256, stream: true }

const isUnbroken = (stream: StreamAnswer): boolean => hasItsEnd(stream) && stream.exchange.ending !== 'reset'

/** Whether a stream lacks the end that the other has. That is no chance, as a text that ends earlier may be. */
function isCut(stream: StreamAnswer, other: StreamAnswer): boolean {
  if (!isUnbroken(stream) || (other.done && !stream.done)) return true
  return finishReasonOf(stream) === undefined && finishReasonOf(other) !== undefined
}

/** Whether a stream ended as the other did. Without a finish reason only the length tells. */
function endsAlike(stream: StreamAnswer, other: StreamAnswer): boolean {
  if (endOf(stream) !== endOf(other)) return false
  return finishReasonOf(stream) !== undefined || contentChunks(stream).length * 2 >= contentChunks(other).length
}

function inWords(stream: StreamAnswer): string {
  return `${endOf(stream)}, after ${contentChunks(stream).length} fragments`
}

/** Two ways to ask for a stream: with nothing in flight beside it, and with another request that comes while it runs. */
function ways({ send, sendStream, model, undecidable }: CheckContext) {
  const served = (stream: StreamAnswer): StreamAnswer => {
    if (isSuccess(stream) && stream.exchange.ending !== 'timeout') return stream
    throw undecidable(`a stream was answered with ${outcome(stream)}`)
  }
  return {
    async alone(body: ChatBody) {
      const ask = async () => served(await sendStream(chatRequest(model, body, { alone: true })))
      const stream = await untilRight(rules.undisturbed, ask, isUnbroken)
      if (!isUnbroken(stream))
        throw undecidable('streams end without [DONE] and a finish reason even when no other request is under way')
      return stream
    },
    async besideAnother(body: ChatBody) {
      const ask = async () => {
        const underWay = Promise.withResolvers<true>()
        const streamed = sendStream(chatRequest(model, body), { onFirstContent: () => underWay.resolve(true) })
        const other = Promise.race([underWay.promise, streamed.then(() => false)]).then((isUnderWay) =>
          isUnderWay ? send(chatRequest(model, { max_tokens: 1 }, { burst: true })) : undefined,
        )
        const [stream] = await Promise.all([streamed, other])
        return served(stream)
      }
      // One that was over before the other came shows nothing.
      return untilRight(rules.disturbed, ask, (stream) => !isUnbroken(stream) || !isSoonOver(stream))
    },
  }
}

export const interruptedStreams = clause('1', [
  must('concurrency.streams-not-interrupted', {
    states: ['each-gets-its-own-reply'],
    dependsOn: ['stream.answers'],
    cost: { requests: 16, tokens: 2100, quick: 10 },
    wrong: 'When another request came, a stream ended otherwise than it does alone.',
    why: 'A reply that ends because somebody else asked something is lost, and often looks complete.',
    fix: 'Let the other request wait, or refuse it; do not end a stream for it.',
    async run(context) {
      const { expect, undecidable } = context
      const { alone, besideAnother } = ways(context)
      const first = await alone(brief)
      const body = isSoonOver(first) ? long : brief
      const undisturbed = body === brief ? first : await alone(long)
      let latest = undisturbed
      let areCut = true
      const isInterrupted = async (): Promise<boolean> => {
        latest = await besideAnother(body)
        areCut &&= isCut(latest, undisturbed)
        return !endsAlike(latest, undisturbed)
      }
      const isSoByItself = async (): Promise<boolean> => {
        const stream = await alone(body)
        return areCut ? isCut(stream, undisturbed) : !endsAlike(stream, undisturbed)
      }
      const found = await finding(rules.interrupted, isInterrupted, isSoByItself)
      if (found === 'chance') throw undecidable('streams end in different ways by themselves')
      expect('how a stream ended beside which another request came', inWords(latest), latest).satisfies(
        `${inWords(undisturbed)}, as with nothing beside it`,
        found === 'right',
      )
    },
  }),
])
