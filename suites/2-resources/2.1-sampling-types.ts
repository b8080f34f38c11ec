import { type SamplingSubject, samplingSubjects, withLiteral } from '../../src/asking/number-literal.ts'
import { clause, open, should } from '../../src/check/check.ts'
import { boundTolerance } from '../../src/contract/bounds.ts'
import { sideBySide } from '../../src/repeat/side-by-side.ts'
import { failsInItsStream } from '../../src/target/served.ts'

/** Values that are not numbers, and numbers that only some decoders accept. */
export const samplingTypes = clause('2.1', [
  ...samplingSubjects.flatMap(otherTypesOf),
  ...samplingSubjects.flatMap(nearBoundsOf),
])

function otherTypesOf({ area, name, range: { max } }: SamplingSubject) {
  return [
    should(`${area}.wrong-type-refused`, {
      states: ['wrong-types-are-refused'],
      phase: 'odd',
      dependsOn: ['chat.answers'],
      cost: { requests: 8, tokens: 60, quick: 3 },
      wrong: `A ${name} that is no number was not refused with a 4xx.`,
      why: 'A client whose value is silently coerced gets sampling that it did not ask for.',
      fix: `Refuse a ${name} that is not a JSON number with a 4xx.`,
      async run({ few, probe, probeStream, expect }) {
        // A number in quotes may be coerced, which is observed below.
        await sideBySide(few(['high', '', true, false, [], [1], {}]), async (value) => {
          const answer = await probe({ [name]: value })
          expect(`status for ${name}: ${JSON.stringify(value)}`, answer.status, answer).isStatus('4xx')
        })
        const streamed = await probeStream({ [name]: 'high' })
        if (!failsInItsStream(streamed))
          expect(`status for ${name}: "high", streaming`, streamed.status, streamed).isStatus('4xx')
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
      sameCauseAs: ['http.malformed-json-refused'],
      cost: { requests: 11, tokens: 600, quick: 2 },
      wrong: `An odd ${name}, such as NaN or 1e999, got neither a 2xx nor a 4xx.`,
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
        await sideBySide(context.few(literals), async (literal) => {
          const answer = await context.probe(withLiteral(context, name, literal))
          context.expect(`status for ${name}: ${literal}`, answer.status, answer).isStatus('2xx', '4xx')
        })
      },
    }),
  ]
}

function nearBoundsOf({ area, name, range: { max } }: SamplingSubject) {
  return [
    open(`${area}.near-bound`, {
      states: ['near-bounds-open'],
      phase: 'odd',
      dependsOn: ['chat.answers'],
      cost: { requests: 7, tokens: 420, quick: 2 },
      why: 'Gateways differ on values that only rounding puts outside the range.',
      fix: 'Nothing to mend: within a millionth of a bound the answer is left open.',
      async run(context) {
        const seen: Record<string, number | undefined> = {}
        const [over, under] = [max + boundTolerance / 10, -boundTolerance / 10]
        for (const literal of context.few([`${over}`, `${under}`, '1e999', 'NaN', 'null', '"1"'])) {
          seen[literal] = (await context.probe(withLiteral(context, name, literal))).status
        }
        return seen
      },
    }),
  ]
}
