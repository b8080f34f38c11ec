import { signOfFailure } from '../../src/asking/nodes/scripted-nodes.ts'
import { type RestartRound, restartRound } from '../../src/asking/restart-round.ts'
import { clause, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'

const shared = {
  needs: ['restart', 'nodes'],
  phase: 'exclusive',
  safe: false,
  cost: { requests: 60, tokens: 3000 },
} as const

/** One restart for all of these checks: it disturbs whoever uses the gateway. */
async function roundOf(context: CheckContext): Promise<RestartRound> {
  const round = await context.once('a restart', () => restartRound(context))
  for (const stream of round.streams) context.witness(stream)
  return round
}

export const restarts = clause('1', [
  should('restart.streams-end-or-show', {
    states: ['restart-breaks-nothing'],
    ...shared,
    dependsOn: ['relay.stream-text-exact'],
    wrong: 'A stream that a restart broke off looked complete.',
    why: 'Readers take half an answer for the whole one when a deploy comes in the middle of it.',
    fix: 'Let streams under way end before the old process does, or end them with an error event and without [DONE].',
    async run(context) {
      const { streams, text } = await roundOf(context)
      for (const stream of streams) {
        if (signOfFailure(stream) !== undefined) continue
        context
          .expect('the text of a stream that ended without a sign of failure in a restart', stream.content, stream)
          .is(text)
      }
      context.expect('streams that were under way in the restart', streams.length).isAtLeast(1)
    },
  }),
  should('restart.requests-are-answered', {
    states: ['restart-breaks-nothing'],
    ...shared,
    dependsOn: ['relay.stream-text-exact'],
    wrong: 'Requests that came while the gateway restarted were taken and not answered.',
    why: 'A client may repeat a 503 or a refused connection, but not a request that may have been charged.',
    fix: 'Answer 503 with `Retry-After` while the gateway ends, and close the port before the process.',
    async run(context) {
      const { asked } = await roundOf(context)
      const broken = asked.filter(({ was }) => was === 'broken off').length
      if (asked.length === 0) throw context.undecidable('the restart was over before another request could come')
      context.expect(`of ${asked.length} requests on new connections, those without an answer`, broken).isAtMost(1)
    },
  }),
  open('restart.new-requests', {
    states: ['restart-open'],
    ...shared,
    why: 'A deploy is felt by everybody who asks meanwhile.',
    fix: 'Nothing to mend: the contract does not say what a restart may look like.',
    async run(context) {
      const { streams, asked, tookMs } = await roundOf(context)
      const count = (what: string): number => asked.filter(({ was }) => was === what).length
      return {
        seconds: Math.round(tookMs / 100) / 10,
        streamsWhole: streams.filter((stream) => signOfFailure(stream) === undefined).length,
        streamsBroken: streams.filter((stream) => signOfFailure(stream) !== undefined).length,
        served: count('served'),
        unavailable: count('503'),
        unavailableWithRetryAfter: asked.filter(({ hasRetryAfter }) => hasRetryAfter).length,
        otherStatus: count('other status'),
        connectionsRefused: count('refused'),
        brokenOff: count('broken off'),
      }
    },
  }),
])
