import { play, signOfFailure, textOf } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, open, should } from '../../src/check/check.ts'
import { isSuccess, type StreamAnswer } from '../../src/target/answer.ts'
import { chatRequest } from '../../src/target/chat.ts'

const fragments = ['One ', 'two ', 'three ', 'four.']
/** In the second event, a little behind its start: it comes in three writes. */
const cuts = [330, 340]
/** Longer than some gateways wait before they write a comment; with --long, longer than nearly all of them. */
const pauseMs = { usual: 1300, long: 9000 } as const

const lateS = [20, 65, 110] as const
/** The node sends its head and a comment: it is alive and busy. What a gateway makes of that is what its clients hear. */
const busy = { comments: { everyMs: 5000 } }
/** Beyond the node's first token. */
const patienceMs = 15_000
/** Left to the checks that come after it. */
const sparedMs = 5000

/** The longest time in which nothing came, in seconds with one decimal, the wait for the head among them. */
function longestSilence({ exchange: { head, arrivals, endedAtMs } }: StreamAnswer): number {
  const moments = [0, ...(head === undefined ? [] : [head.atMs]), ...arrivals.map(({ atMs }) => atMs), endedAtMs]
  const silences = moments.slice(1).map((moment, at) => moment - (moments[at] ?? 0))
  return Math.round(Math.max(...silences) / 100) / 10
}

export const relayedPauses = clause('4.1', [
  should('relay.pause-inside-an-event', {
    states: ['node-text-is-the-reply', 'events-are-chunks'],
    needs: ['nodes'],
    dependsOn: ['relay.any-form-of-stream', 'relay.slow-node-is-served'],
    cost: { requests: 1, tokens: 100 },
    wrong: 'When a node paused inside an event, the text of the stream did not arrive as it was sent.',
    coversNoReply: true,
    why: 'A comment that keeps a connection alive breaks the event in whose middle it is written.',
    fix: 'Write comments only between events: pass on whole events, or hold the comment back while one is open.',
    async run(context) {
      const isLong = context.target.config.long === true
      const wire = { cuts, pauseMs: isLong ? pauseMs.long : pauseMs.usual }
      const { stream } = await play(context, { fragments, timing: { firstToken: 10, gap: 10 }, wire })
      const answer = await stream()
      if (isLong && signOfFailure(answer) !== undefined)
        throw context.undecidable('the gateway gave up a node that paused for some seconds')
      const what = 'a stream whose node paused inside an event'
      context.expect(`the text of ${what}`, textOf(context, what, answer), answer).is(fragments.join(''))
      const broken = answer.chunks.filter(({ json }) => json === undefined).length
      context.expect(`events of ${what} that are not JSON`, broken, answer).is(0)
    },
  }),
  open('relay.late-first-token', {
    states: ['stream-timing-open'],
    needs: ['nodes', 'long'],
    dependsOn: ['relay.stream-text-exact'],
    phase: 'end',
    cost: { requests: lateS.length, tokens: 200 },
    why: 'Proxies between a gateway and its users take a minute without a byte for death, however busy the model is.',
    fix: 'Nothing to mend: the contract names no time. Comments before the first event keep connections alive.',
    async run(context) {
      const { nodes, sendStream, target, undecidable } = context
      const leftS = (target.remainingMs() - patienceMs - sparedMs) / 1000
      const asked = lateS.filter((seconds) => seconds < leftS)
      if (asked.length === 0) throw undecidable('the run has no time left for it: --max-time 300 is enough')
      const seen = await Promise.all(
        asked.map(async (seconds) => {
          const timing = { firstToken: seconds * 1000, gap: 1 }
          const { prompt } = await play(context, { fragments, timing, wire: busy })
          const body = { max_tokens: 4000, stream: true, messages: [{ role: 'user', content: prompt }] }
          const request = chatRequest(nodes.model, body, { patienceMs: seconds * 1000 + patienceMs, replyTokens: 0 })
          const answer = await sendStream(request)
          return {
            secondsToFirstToken: seconds,
            served: isSuccess(answer) && answer.done,
            longestSilenceSeconds: longestSilence(answer),
            comments: answer.frames.filter(({ kind }) => kind === 'comment').length,
          }
        }),
      )
      return { seen, notAskedForWantOfTime: lateS.filter((seconds) => !asked.includes(seconds)) }
    },
  }),
])
