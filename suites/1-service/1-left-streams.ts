import { clause, must } from '../../src/check/check.ts'
import { inTurn, untilRight } from '../../src/repeat/repeat.ts'
import { ruleFor, rules } from '../../src/repeat/rules.ts'
import { hasItsEnd, isRefusedForNow, isSuccess, type StreamAnswer } from '../../src/target/answer.ts'
import { chatRequest } from '../../src/target/chat.ts'

const longReply = {
  messages: [{ role: 'user', content: 'Tell the story of a lighthouse in 150 words.' }],
  max_tokens: 300,
  stream: true,
}

/** How a stream ends is judged by other checks. */
function hasEnd(stream: StreamAnswer): boolean {
  return isSuccess(stream) && (stream.done || stream.exchange.ending === 'complete')
}

/** What clients that leave mid-stream do to those that stay. */
export const leftStreams = clause('1', [
  must('stream.leaving-spares-the-others', {
    states: ['next-request-is-served', 'each-gets-its-own-reply'],
    dependsOn: ['stream.leaving-harms-nobody', 'concurrency.streams-not-interrupted'],
    phase: 'exclusive',
    cost: { requests: 17, tokens: 2000, quick: 3 },
    wrong: 'A stream did not come to its end while other clients left theirs.',
    coversNoReply: true,
    why: 'A user who presses stop in one window must not end the reply in another.',
    fix: 'Cancel that request only, not its key, account or model.',
    async run({ sendStream, model, expect, undecidable }) {
      // Sent once each: what the others did to it must not be mended by asking again.
      const request = chatRequest(model, longReply, { burst: true })
      const isWhole = (stream: StreamAnswer): boolean => isSuccess(stream) && hasItsEnd(stream)
      const besideOthers = async (): Promise<StreamAnswer> => {
        const [stays] = await Promise.all([
          sendStream(request),
          sendStream(request, { leaveAfterContent: 1 }),
          sendStream(request, { leaveAfterContent: 3 }),
        ])
        return stays
      }
      const stays = await untilRight(rules.brokenBesideLeft, besideOthers, isWhole)
      if (!isSuccess(stays) && stays.status !== undefined)
        throw undecidable(`a stream beside others was answered with ${stays.status}`)
      if (!isWhole(stays)) {
        const undisturbed = await inTurn(rules.brokenBesideLeft.controls.times, () => sendStream(request))
        if (!undisturbed.every(isWhole)) throw undecidable('streams break off even when no client leaves')
      }
      expect('whether a stream is complete while others are abandoned', isWhole(stays), stays).is(true)
    },
  }),
  must('service.streams-survive-the-run', {
    states: ['next-request-is-served'],
    dependsOn: ['chat.answers', 'service.survives-the-run'],
    phase: 'end',
    ofWholeRun: true,
    cost: { requests: 11, tokens: 2400, quick: 9 },
    wrong: 'After the run a plain stream, served at the start, was not served to its end.',
    coversNoReply: true,
    why: 'A stream slot that leaks when its client leaves is lost: some clients later, nobody can stream.',
    fix: 'Free what a stream holds, however it ends.',
    async run({ prepared, sendStream, target, model, expect, undecidable }) {
      if (!prepared.works.stream) throw undecidable('streams were not served at the start of the run')
      // Only the first token is waited for.
      const abandoned = chatRequest(model, longReply, { burst: true, despiteSilence: true, replyTokens: 1 })
      const left = () => sendStream(abandoned, { leaveAfterContent: 1 })
      await inTurn(2, () => Promise.all([left(), left(), left(), left()]))
      const last = await untilRight(
        ruleFor(rules.lastRequest, target.spending.cuts > 0),
        () => sendStream(chatRequest(model, { stream: true }, { burst: true, despiteSilence: true })),
        hasEnd,
      )
      if (isRefusedForNow(last)) throw undecidable('the last stream was temporarily refused')
      expect(
        'whether a plain stream sent after all others reaches its end (it did at the start)',
        hasEnd(last),
        last,
      ).is(true)
    },
  }),
])
