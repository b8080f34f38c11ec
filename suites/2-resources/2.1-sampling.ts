import fc from 'fast-check'
import { accepts, type Parameter, refuses, withLiteral } from '../../src/asking/number-literal.ts'
import { above, below, inRangeEdges, inside } from '../../src/check/arbitraries.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import { boundTolerance, type Range, temperatureRange, topPRange } from '../../src/contract/bounds.ts'
import { type Answer, isClientError, isSuccess } from '../../src/target/answer.ts'

/** The two sampling parameters differ only in name and range. */
export const sampling = clause('2.1', [
  ...checksOf({ area: 'temperature', name: 'temperature', range: temperatureRange }),
  ...checksOf({ area: 'top-p', name: 'top_p', range: topPRange }),
])

interface Subject {
  /** The first part of its checks' ids. */
  readonly area: 'temperature' | 'top-p'
  readonly name: Parameter
  readonly range: Range
}

function checksOf(subject: Subject) {
  return [
    ...acceptedIn(subject),
    ...refusedOutside(subject),
    ...refusedAtRandom(subject),
    ...clientErrorsOf(subject),
    ...otherTypesOf(subject),
    ...nearBoundsOf(subject),
  ]
}

/** The range itself, both bounds included. */
function acceptedIn({ area, name, range }: Subject) {
  const { min, max } = range
  const accepted = {
    why: 'Clients use the whole range of the contract, and those at its bounds must not be refused.',
    fix: `Accept every ${name} from ${min} to ${max}, both bounds included.`,
  }
  return [
    must(`${area}.in-range-accepted`, {
      states: [`${area}-range`],
      phase: 'early',
      dependsOn: ['chat.answers'],
      cost: { requests: 14, tokens: 840 },
      ...accepted,
      async run(context) {
        for (const literal of inRangeEdges(range)) await accepts(context, name, literal, 'json')
      },
    }),
    should(`${area}.smallest-accepted`, {
      states: [`${area}-range`],
      phase: 'odd',
      dependsOn: [`${area}.in-range-accepted`],
      cost: { requests: 2, tokens: 120 },
      why: 'A number that 32 bits cannot hold is still in the range, and a client that computes it gets an error.',
      fix: `Take a ${name} that is too small for the sampler as 0.`,
      async run(context) {
        for (const literal of ['1e-40', '1e-320']) await accepts(context, name, literal, 'json')
      },
    }),
    must(`${area}.in-range-accepted-streaming`, {
      states: [`${area}-range`],
      phase: 'early',
      dependsOn: ['stream.answers'],
      cost: { requests: 5, tokens: 300 },
      ...accepted,
      async run(context) {
        for (const literal of [`${min}`, `${max / 2}`, `${max * 0.85}`, `${max}`, `${max}.0`])
          await accepts(context, name, literal, 'stream')
      },
    }),
    must(`${area}.in-range-accepted-each-model`, {
      states: [`${area}-range`],
      dependsOn: [`${area}.in-range-accepted`, `${area}.in-range-accepted-streaming`, 'stream.model-each'],
      cost: { requests: 25, tokens: 1500 },
      ...accepted,
      async run(context) {
        for (const { id } of context.prepared.roster.slice(0, 6)) {
          for (const literal of [`${min}`, `${max * 0.75}`, `${max}`]) await accepts(context, name, literal, 'json', id)
          await accepts(context, name, `${max}`, 'stream', id)
        }
        await accepts(context, name, `${max}`, 'json')
      },
    }),
    must(`${area}.random-in-range-accepted`, {
      states: [`${area}-range`],
      dependsOn: [`${area}.in-range-accepted`, `${area}.in-range-accepted-streaming`],
      phase: 'random',
      ...accepted,
      async run(context) {
        await context.property(inside(range), async (value) => accepts(context, name, JSON.stringify(value), 'json'))
      },
    }),
  ]
}

function refusalOf({ name, range: { min, max } }: Subject) {
  return {
    why: 'Clients are billed for garbage when a sampler is given a value that it is not defined for.',
    fix: `Refuse ${name} outside ${min} to ${max} with a 4xx, in both modes and for every model.`,
  }
}

/** Everything outside the range. */
function refusedOutside(subject: Subject) {
  const { area, name, range } = subject
  const { max } = range
  const refused = refusalOf(subject)
  return [
    must(`${area}.above-range-refused`, {
      states: [`${area}-range`],
      dependsOn: ['chat.answers'],
      cost: { requests: 10, tokens: 600 },
      ...refused,
      async run(context) {
        for (const value of [max + 1e-5, max + 0.001, max + 0.1, max + 0.5, max + 1, 5, 10, 100, 1e6, 1e300])
          await refuses(context, name, value, 'json')
      },
    }),
    must(`${area}.below-range-refused`, {
      states: [`${area}-range`],
      dependsOn: ['chat.answers'],
      cost: { requests: 8, tokens: 480 },
      ...refused,
      async run(context) {
        for (const value of [-1e-5, -0.001, -0.1, -0.5, -1, -2, -100, -1e300])
          await refuses(context, name, value, 'json')
      },
    }),
    must(`${area}.out-of-range-refused-streaming`, {
      states: [`${area}-range`],
      dependsOn: [`${area}.above-range-refused`, `${area}.below-range-refused`, 'stream.answers'],
      cost: { requests: 6, tokens: 360 },
      ...refused,
      async run(context) {
        for (const value of [max + 1e-5, max + 0.1, max + 1, 100, -1e-5, -0.1, -1])
          await refuses(context, name, value, 'stream')
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
      cost: { requests: 25, tokens: 1500 },
      ...refused,
      async run(context) {
        for (const { id } of context.prepared.roster.slice(0, 6)) {
          for (const value of [max + 0.5, -0.5]) {
            await refuses(context, name, value, 'json', id)
            await refuses(context, name, value, 'stream', id)
          }
        }
        await refuses(context, name, max + 1, 'json')
      },
    }),
  ]
}

function refusedAtRandom(subject: Subject) {
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
function clientErrorsOf({ area, name, range: { max } }: Subject) {
  return [
    should(`${area}.out-of-range-is-client-error`, {
      states: ['client-errors-are-4xx'],
      dependsOn: ['chat.answers', 'stream.answers'],
      cost: { requests: 12, tokens: 720 },
      why: 'SDKs retry a 5xx, so a request that can never succeed is sent again and again.',
      fix: 'Validate before the request goes to a node, and answer 4xx.',
      async run(context) {
        const { probe, probeStream, model, expect, notApplicable } = context
        let refused = 0
        const look = (value: number, answer: Answer): void => {
          // Whether it may be served is another check's to judge.
          if (isSuccess(answer)) return
          refused += 1
          expect(`status for ${name}: ${value}`, answer.status, answer).satisfies('a 4xx', isClientError(answer))
        }
        for (const value of [max + 1e-5, max + 0.1, max + 1, 1e6, 1e300, -1e-5, -0.1, -1, -1e300])
          look(value, await probe(withLiteral(context, name, `${value}`)))
        for (const value of [max + 1, -1])
          look(value, await probeStream(withLiteral(context, name, `${value}`, model, true)))
        if (refused === 0) throw notApplicable(`every ${name} outside the range is served, which other checks report`)
      },
    }),
  ]
}

/** Values that are not numbers, and numbers that only some decoders accept. */
function otherTypesOf({ area, name, range: { max } }: Subject) {
  return [
    should(`${area}.wrong-type-refused`, {
      states: ['wrong-types-are-refused'],
      phase: 'odd',
      dependsOn: ['chat.answers'],
      cost: { requests: 8, tokens: 480 },
      why: 'A client whose value is silently coerced gets sampling that it did not ask for.',
      fix: `Refuse a ${name} that is not a JSON number with a 4xx.`,
      async run({ probe, probeStream, expect }) {
        // A number in quotes may be coerced, which is observed below.
        for (const value of ['high', '', true, false, [], [1], {}]) {
          const answer = await probe({ [name]: value })
          expect(`status for ${name}: ${JSON.stringify(value)}`, answer.status, answer).satisfies(
            'a 4xx',
            isClientError(answer),
          )
        }
        const streamed = await probeStream({ [name]: 'high' })
        expect(`status for ${name}: "high", streaming`, streamed.status, streamed).satisfies(
          'a 4xx',
          isClientError(streamed),
        )
      },
    }),
    should(`${area}.odd-numbers-no-server-error`, {
      states: ['client-errors-are-4xx'],
      phase: 'odd',
      dependsOn: [
        `${area}.above-range-refused`,
        `${area}.below-range-refused`,
        `${area}.out-of-range-refused-streaming`,
        `${area}.out-of-range-is-client-error`,
      ],
      // Not all of these texts are JSON.
      behind: ['http.malformed-json-refused'],
      cost: { requests: 10, tokens: 600 },
      why: 'Servers have crashed for everybody when an error quoted a number that no encoder can write.',
      fix: 'Answer any number, and any text that is not a JSON number, with a 2xx or a 4xx.',
      async run(context) {
        const literals = [
          'NaN',
          'Infinity',
          '-Infinity',
          '1e999',
          '-1e999',
          'null',
          '"1"',
          `${max}.0000000000000004`,
          `${max}.0000001`,
          '-1e-320',
          '-1e-9',
        ]
        for (const literal of literals) {
          const answer = await context.probe(withLiteral(context, name, literal))
          const graceful = isSuccess(answer) || isClientError(answer)
          context.expect(`status for ${name}: ${literal}`, answer.status, answer).satisfies('2xx or 4xx', graceful)
        }
      },
    }),
  ]
}

function nearBoundsOf({ area, name, range: { max } }: Subject) {
  return [
    open(`${area}.near-bound`, {
      states: ['near-bounds-open'],
      phase: 'odd',
      dependsOn: ['chat.answers'],
      cost: { requests: 7, tokens: 420 },
      why: 'Gateways differ on values that only rounding puts outside the range.',
      fix: 'Nothing to mend: within a millionth of a bound the answer is left open.',
      async run(context) {
        const seen: Record<string, number | undefined> = {}
        const [over, under] = [max + boundTolerance / 10, -boundTolerance / 10]
        for (const literal of [`${over}`, `${under}`, '1e999', 'NaN', 'null', '"1"']) {
          seen[literal] = (await context.probe(withLiteral(context, name, literal))).status
        }
        return seen
      },
    }),
  ]
}
