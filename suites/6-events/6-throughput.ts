import {
  type Crowd,
  crowdOf,
  crowdSize,
  eventsPerS,
  gather,
  servedOf,
  wrongWith,
} from '../../src/asking/crowd/crowd.ts'
import { steadyEventsPerS } from '../../src/asking/steady-load.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import { untilRight } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'

export const throughput = clause('6', [
  must('throughput.whole-under-load', {
    states: ['events-are-chunks', 'stream-ends-with-done'],
    needs: ['load'],
    // These judge single streams; this check is about many at once.
    dependsOn: [
      'concurrency.streams-under-load',
      'stream.content-type',
      'stream.ends-with-done',
      'stream.done-once',
      'stream.nothing-after-done',
      'chunk.is-json',
      'chunk.id',
      'chunk.id-constant',
      'chunk.choices',
      'chunk.index',
      'chunk.delta',
      'chunk.content',
    ],
    phase: 'exclusive',
    safe: false,
    cost: { requests: 2 * crowdSize, tokens: 26_000 },
    wrong: 'One of many concurrent streams was malformed or broke off.',
    why: 'Users lose an event, an id or the end of a stream only when many run at once.',
    fix: 'Build each event from the state of its own stream, and end every stream the same way.',
    async run(context) {
      const { expect, target, undecidable } = context
      const departures = (crowd: Crowd) =>
        servedOf(crowd).flatMap((stream) => {
          const wrong = wrongWith(stream)
          return wrong === undefined ? [] : [{ stream, wrong }]
        })
      let crowd = await crowdOf(context)
      // Chance does not strike twice.
      if (departures(crowd).length > 0) crowd = await gather(context)
      const wrong = departures(crowd)
      if (wrong.length > 0 && target.spending.cuts > 0)
        throw undecidable('the target breaks off requests even without load')
      const served = servedOf(crowd).length
      if (served === 0) throw undecidable(`none of ${crowdSize} concurrent streams was served`)
      const said = wrong.map((one) => one.wrong)
      expect(`what was wrong with ${said.length} of ${served} streams`, [...new Set(said)], wrong[0]?.stream).is([])
    },
  }),
  open('throughput.events-per-s', {
    states: ['throughput-open'],
    needs: ['load'],
    dependsOn: ['stream.ends-with-done'],
    phase: 'exclusive',
    safe: false,
    cost: { requests: crowdSize, tokens: 13_000 },
    why: 'Clients feel how fast a gateway streams, although no figure is promised.',
    fix: 'Nothing to mend: `assay load` shows where the time goes.',
    async run(context) {
      const streams = servedOf(await crowdOf(context))
      return { eventsPerS: Math.round(eventsPerS(streams)), streams: streams.length }
    },
  }),
  should('throughput.as-promised', {
    states: ['throughput-as-promised'],
    needs: ['load'],
    dependsOn: ['stream.ends-with-done'],
    phase: 'exclusive',
    safe: false,
    cost: { requests: 192, tokens: 18_000 },
    wrong: 'Fewer events a second were streamed than the profile promises.',
    why: 'Customers who planned with the promised throughput do not get it.',
    fix: 'Measure with `assay load --baseline-url` what the gateway adds to its nodes.',
    async run(context) {
      const { eventsPerSMin } = context.target.config
      if (eventsPerSMin === undefined)
        throw context.notApplicable('the profile promises nothing: it has no load.minEventsPerS')
      const reached = await untilRight(
        rules.slow,
        () => steadyEventsPerS(context),
        (eventsPerSecond) => eventsPerSecond >= eventsPerSMin,
      )
      context.expect('events a second of 32 concurrent streams', Math.round(reached)).isAtLeast(eventsPerSMin)
    },
  }),
])
