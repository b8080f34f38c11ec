import { clause, must } from '../../src/check/check.ts'
import { isSuccess } from '../../src/target/answer.ts'

/** Temperature and top_p together. */
export const samplingPairs = clause('2.1', [
  must('sampling.extremes-together-accepted', {
    states: ['temperature-range', 'top-p-range'],
    phase: 'odd',
    dependsOn: ['temperature.in-range-accepted', 'top-p.in-range-accepted', 'stream.answers'],
    cost: { requests: 8, tokens: 480, quick: 5 },
    wrong: 'A valid temperature and a valid top_p together were not accepted.',
    coversNoReply: true,
    why: 'Clients that set both fields can hit a branch, such as greedy decoding, that refuses them.',
    fix: 'Accept every combination of values in range.',
    async run({ few, ask, askStream, expect }) {
      for (const temperature of few([0, 1, 2])) {
        for (const top_p of [0, 1]) {
          const reply = await ask({ temperature, top_p })
          expect(`status for temperature ${temperature}, top_p ${top_p}`, reply.status, reply).isStatus('2xx')
        }
      }
      const stream = await askStream({ temperature: 0, top_p: 0 })
      expect('data events for temperature 0, top_p 0', stream.chunks.length, stream).isAtLeast(1)
    },
  }),
  must('sampling.one-bad-of-two-refused', {
    states: ['temperature-range', 'top-p-range'],
    phase: 'odd',
    dependsOn: [
      'temperature.above-range-refused',
      'temperature.below-range-refused',
      'top-p.above-range-refused',
      'top-p.below-range-refused',
    ],
    cost: { requests: 6, tokens: 60 },
    wrong: 'A sampling value out of range was served beside valid fields.',
    why: "A client's bad value goes unnoticed when the validator stops at the first good parameter.",
    fix: 'Check each parameter whatever the others are.',
    async run({ probe, expect }) {
      for (const body of [
        { temperature: 3, top_p: 0.5 },
        { temperature: 0.5, top_p: 1.5 },
        { temperature: 0, top_p: -0.5 },
        { temperature: -1, top_p: 1 },
        { temperature: 2.5, max_tokens: 8, stop: ['\u0001'] },
        { top_p: 1.5, max_tokens: 8, stop: ['\u0001'] },
      ]) {
        const answer = await probe(body)
        expect(`status for ${JSON.stringify(body)}`, answer.status, answer).satisfies('no 2xx', !isSuccess(answer))
      }
    },
  }),
])
