import { clause, must, open, should } from '../../src/check/check.ts'
import { crowd, crowdOf, streamLoad } from '../../src/check/stream-load.ts'

const steady = { connections: 32, requests: 64, maxTokens: 64 }

export const throughput = clause('6', [
  must('throughput.whole-under-load', {
    states: ['events-are-chunks', 'stream-ends-with-done'],
    needs: ['load'],
    // What these say of streams that are alone is theirs to say.
    dependsOn: [
      'concurrency.streams-under-load',
      'stream.content-type',
      'stream.done-once',
      'chunk.is-json',
      'chunk.id',
      'chunk.id-constant',
      'chunk.choices',
      'chunk.index',
      'chunk.delta',
      'chunk.content',
    ],
    phase: 'last',
    alone: true,
    safe: false,
    cost: { requests: 400, tokens: 20_000 },
    why: 'A stream that is right when it is alone may lose its id, an event or its end among two hundred.',
    fix: 'Make each event from the state of its own stream, and end each stream the same way.',
    async run(context) {
      let { wrong, result } = await crowdOf(context)
      // What is chance does not come twice.
      if (wrong.length > 0) ({ wrong, result } = await streamLoad(context, crowd))
      if (wrong.length > 0 && context.target.spending.cuts > 0)
        throw context.undecidable('the target cuts requests whether there is load or not')
      context.expect('what was wrong with streams of 200 at once', wrong).is([])
      if (result.outcomes.ok === 0) throw context.undecidable('none of 200 streams at once was served')
      context.expect('streams of 200 at once that were whole', result.outcomes.ok).isAtLeast(1)
    },
  }),
  open('throughput.events-per-s', {
    states: ['throughput-open'],
    needs: ['load'],
    dependsOn: ['stream.ends-with-done'],
    phase: 'last',
    alone: true,
    safe: false,
    cost: { requests: 200, tokens: 20_000 },
    why: 'How fast a gateway streams is what its clients feel; no figure is promised.',
    fix: 'Nothing to mend here; `assay load` says where the time goes.',
    async run(context) {
      const { eventsPerS } = await crowdOf(context)
      return { eventsPerS: Math.round(eventsPerS), streams: crowd.connections }
    },
  }),
  should('throughput.as-promised', {
    states: ['throughput-as-promised'],
    needs: ['load'],
    dependsOn: ['stream.ends-with-done'],
    phase: 'last',
    alone: true,
    safe: false,
    cost: { requests: 192, tokens: 18_000 },
    why: 'A gateway whose throughput is promised is wrong when it is slower.',
    fix: 'Look with `assay load --baseline-url` at what the gateway adds to its nodes.',
    async run(context) {
      const { eventsPerSMin } = context.target.config
      if (eventsPerSMin === undefined)
        throw context.notApplicable('the profile promises nothing: it has no load.minEventsPerS')
      // The best of three: a moment of other work is not the gateway's.
      let best = 0
      for (let turn = 0; turn < 3 && best < eventsPerSMin; turn += 1)
        best = Math.max(best, (await streamLoad(context, steady)).eventsPerS)
      context.expect('events a second of 32 streams at once', Math.round(best)).isAtLeast(eventsPerSMin)
    },
  }),
])
