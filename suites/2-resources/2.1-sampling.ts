import fc from 'fast-check'
import {
  accepts,
  refuses,
  type SamplingSubject,
  samplingSubjects,
  withLiteral,
} from '../../src/asking/number-literal.ts'
import { clause, must, should } from '../../src/check/check.ts'
import { above, below, inRangeEdges, inside } from '../../src/check/values/arbitraries.ts'
import { sideBySide } from '../../src/repeat/side-by-side.ts'
import { type Answer, isSuccess } from '../../src/target/answer.ts'

/** The numbers of the range, and those outside it. */
export const sampling = clause('2.1', samplingSubjects.flatMap(checksOf))

function checksOf(subject: SamplingSubject) {
  return [...acceptedIn(subject), ...refusedOutside(subject), ...refusedAtRandom(subject), ...clientErrorsOf(subject)]
}

function acceptanceOf({ name, range: { min, max } }: SamplingSubject) {
  return {
    coversNoReply: true,
    why: 'Clients use the whole range of the contract, and those at its bounds must not be refused.',
    fix: `Accept every ${name} from ${min} to ${max}, both bounds included.`,
  }
}

/** The range itself, both bounds included. */
function acceptedIn(subject: SamplingSubject) {
  const { area, name, range } = subject
  const { min, max } = range
  const accepted = acceptanceOf(subject)
  return [
    must(`${area}.in-range-accepted`, {
      states: [`${area}-range`],
      phase: 'early',
      dependsOn: ['chat.answers'],
      cost: { requests: 23, tokens: 840, quick: 2 },
      wrong: `A ${name} inside the range was not accepted.`,
      ...accepted,
      async run(context) {
        await sideBySide(context.fewServed(inRangeEdges(range)), (literal) => accepts(context, name, literal, 'json'))
      },
    }),
    should(`${area}.smallest-accepted`, {
      states: [`${area}-range`],
      phase: 'odd',
      dependsOn: [`${area}.in-range-accepted`],
      cost: { requests: 2, tokens: 120 },
      wrong: `A very small ${name}, such as 1e-40, was not accepted.`,
      coversNoReply: true,
      why: 'A number that 32 bits cannot hold is still in the range, and a client that computes it gets an error.',
      fix: `Take a ${name} that is too small for the sampler as 0.`,
      async run(context) {
        await sideBySide(['1e-40', '1e-320'], (literal) => accepts(context, name, literal, 'json'))
      },
    }),
    must(`${area}.in-range-accepted-streaming`, {
      states: [`${area}-range`],
      phase: 'early',
      dependsOn: ['stream.answers', `${area}.in-range-accepted`],
      cost: { requests: 5, tokens: 300, quick: 2 },
      wrong: `A ${name} inside the range was not accepted in a stream.`,
      ...accepted,
      async run(context) {
        const literals = [`${min}`, `${max / 2}`, `${max * 0.85}`, `${max}`, `${max}.0`]
        await sideBySide(context.fewServed(literals), (literal) => accepts(context, name, literal, 'stream'))
      },
    }),
    must(`${area}.in-range-accepted-each-model`, {
      states: [`${area}-range`],
      dependsOn: [`${area}.in-range-accepted`, `${area}.in-range-accepted-streaming`, 'stream.model-each'],
      cost: { requests: 25, tokens: 1500, quick: 3 },
      wrong: `A model did not accept a ${name} inside the range.`,
      ...accepted,
      async run(context) {
        const json = [min, max * 0.75, max].map((value) => ({ literal: `${value}`, mode: 'json' as const }))
        const forms = [...json, { literal: `${max}`, mode: 'stream' as const }]
        const asked = context.prepared.roster.slice(0, 6).flatMap(({ id }) => forms.map((form) => ({ id, ...form })))
        await sideBySide(context.few(asked), ({ id, literal, mode }) => accepts(context, name, literal, mode, id))
        await accepts(context, name, `${max}`, 'json')
      },
    }),
    must(`${area}.random-in-range-accepted`, {
      states: [`${area}-range`],
      dependsOn: [`${area}.in-range-accepted`, `${area}.in-range-accepted-streaming`],
      phase: 'random',
      cost: { requests: 1, tokens: 30 },
      wrong: `A random ${name} inside the range was not accepted.`,
      ...accepted,
      async run(context) {
        await context.property(inside(range), async (value) => accepts(context, name, JSON.stringify(value), 'json'))
      },
    }),
  ]
}

function refusalOf({ name, range: { min, max } }: SamplingSubject) {
  return {
    why: 'Clients are billed for garbage when a sampler is given a value that it is not defined for.',
    fix: `Refuse ${name} outside ${min} to ${max} with a 4xx, in both modes and for every model.`,
  }
}

/** Everything outside the range. */
function refusedOutside(subject: SamplingSubject) {
  const { area, name, range } = subject
  const { max } = range
  const refused = refusalOf(subject)
  return [
    must(`${area}.above-range-refused`, {
      states: [`${area}-range`],
      dependsOn: ['chat.answers'],
      cost: { requests: 10, tokens: 60, quick: 2 },
      wrong: `A ${name} above the range was served.`,
      ...refused,
      async run(context) {
        const values = [max + 1e-5, max + 0.001, max + 0.1, max + 0.5, max + 1, 5, 10, 100, 1e6, 1e300]
        await sideBySide(context.few(values), (value) => refuses(context, name, value, 'json'))
      },
    }),
    must(`${area}.below-range-refused`, {
      states: [`${area}-range`],
      dependsOn: ['chat.answers'],
      cost: { requests: 8, tokens: 60, quick: 2 },
      wrong: `A ${name} below the range was served.`,
      ...refused,
      async run(context) {
        const values = [-1e-5, -0.001, -0.1, -0.5, -1, -2, -100, -1e300]
        await sideBySide(context.few(values), (value) => refuses(context, name, value, 'json'))
      },
    }),
    must(`${area}.out-of-range-refused-streaming`, {
      states: [`${area}-range`],
      dependsOn: [`${area}.above-range-refused`, `${area}.below-range-refused`, 'stream.answers'],
      cost: { requests: 7, tokens: 60, quick: 2 },
      wrong: `A ${name} outside the range was served in a stream.`,
      ...refused,
      async run(context) {
        const values = [max + 1e-5, max + 0.1, max + 1, 100, -1e-5, -0.1, -1]
        await sideBySide(context.few(values), (value) => refuses(context, name, value, 'stream'))
      },
    }),
    must(`${area}.out-of-range-refused-each-model`, {
      states: [`${area}-range`],
      dependsOn: [
        `${area}.above-range-refused`,
        `${area}.below-range-refused`,
        `${area}.out-of-range-refused-streaming`,
        'stream.model-each',
      ],
      cost: { requests: 25, tokens: 60, quick: 3 },
      wrong: `A model served a ${name} outside the range.`,
      ...refused,
      async run(context) {
        const asked = context.prepared.roster.slice(0, 6).flatMap(({ id }) =>
          [max + 0.5, -0.5].flatMap((value) => [
            { id, value, mode: 'json' as const },
            { id, value, mode: 'stream' as const },
          ]),
        )
        await sideBySide(context.few(asked), ({ id, value, mode }) => refuses(context, name, value, mode, id))
        await refuses(context, name, max + 1, 'json')
      },
    }),
  ]
}

function refusedAtRandom(subject: SamplingSubject) {
  const { area, name, range } = subject
  return [
    must(`${area}.random-out-of-range-refused`, {
      states: [`${area}-range`],
      dependsOn: [
        `${area}.above-range-refused`,
        `${area}.below-range-refused`,
        `${area}.out-of-range-refused-streaming`,
      ],
      phase: 'random',
      cost: { requests: 1, tokens: 1 },
      wrong: `A random ${name} outside the range was served.`,
      ...refusalOf(subject),
      async run(context) {
        const values = fc.tuple(
          fc.oneof(above(range), below(range)),
          fc.constantFrom('json' as const, 'stream' as const),
        )
        await context.property(values, async ([value, mode]) => refuses(context, name, value, mode))
      },
    }),
  ]
}

/** How a value outside the range is refused. */
function clientErrorsOf({ area, name, range: { max } }: SamplingSubject) {
  return [
    should(`${area}.out-of-range-is-client-error`, {
      states: ['client-errors-are-4xx'],
      dependsOn: ['chat.answers'],
      cost: { requests: 12, tokens: 720, quick: 4 },
      wrong: `A ${name} outside the range was refused with a status that is no 4xx.`,
      why: 'SDKs retry a 5xx, so a request that can never succeed is sent again and again.',
      fix: 'Validate before the request goes to a node, and answer 4xx.',
      async run(context) {
        const { probe, probeStream, model, prepared, expect, notApplicable } = context
        let refused = 0
        const look = (value: number, answer: Answer): void => {
          // Whether it may be served is another check's to judge.
          if (isSuccess(answer)) return
          refused += 1
          expect(`status for ${name}: ${value}`, answer.status, answer).isStatus('4xx')
        }
        const values = [max + 1e-5, max + 0.1, max + 1, 1e6, 1e300, -1e-5, -0.1, -1, -1e300]
        await sideBySide(context.few(values), async (value) =>
          look(value, await probe(withLiteral(context, name, `${value}`))),
        )
        await sideBySide(prepared.works.stream ? [max + 1, -1] : [], async (value) =>
          look(value, await probeStream(withLiteral(context, name, `${value}`, model, true))),
        )
        if (refused === 0) throw notApplicable(`every ${name} outside the range is served, which other checks report`)
      },
    }),
  ]
}
