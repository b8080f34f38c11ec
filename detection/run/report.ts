import { createPaint, type Paint } from '../../src/report/paint.ts'
import { type RunFacts, renderDetectionPage } from './page.ts'
import type { Score } from './score.ts'

/** The formats of `assay detection --report`. */
export const detectionFormats = {
  terminal: {
    about: 'for people: what was caught, by clause and level, and what was not',
    render: (score: Score, facts: RunFacts, color: boolean) => `${terminal(score, facts, createPaint(color))}\n`,
  },
  json: {
    about: 'for programs: every fault with the checks that failed',
    render: (score: Score, facts: RunFacts) =>
      `${JSON.stringify({ schema: 'inference-assay/detection/1', ...facts, ...score }, null, 2)}\n`,
  },
  html: { about: 'a page: which check failed on which gateway', render: renderDetectionPage },
} as const

function terminal(
  { faults: scores, legal, falseAlarms, problems, secondLooks }: Score,
  { seed, durationS }: RunFacts,
  paint: Paint,
): string {
  const caught = scores.filter((one) => one.caught).length
  const groups = [...new Set(scores.map(({ clause, level }) => `${clause} ${level}`))].sort()
  const rows = groups.map((group) => {
    const own = scores.filter(({ clause, level }) => `${clause} ${level}` === group)
    const seen = own.filter((one) => one.caught).length
    return `  ${group.padEnd(14)}${seen === own.length ? paint.good(`${seen}/${own.length}`) : paint.bad(`${seen}/${own.length}`)}`
  })
  const survivors = scores
    .filter((one) => !one.caught)
    .map(({ name, root, about }) => paint.bad(`  not caught: ${name} (${root}): ${about}`))
  const impure = scores
    .map(({ name, missing, strangers }) => {
      const saw = [...missing.map((id) => `${id} did not fail`), ...strangers.map((id) => `${id} failed too`)]
      return { name, saw }
    })
    .filter(({ saw }) => saw.length > 0)
    .map(({ name, saw }) => paint.warn(`  not as expected: ${name}: ${saw.join(', ')}`))
  const alarms = falseAlarms.map(({ subject, entries, check, said }) =>
    paint.bad(`  false alarm: ${check} on ${subject} (${entries.join(' + ')}): ${said}`),
  )
  return [
    'Caught, by clause and level of the root check:',
    ...rows,
    ...survivors,
    ...impure,
    ...alarms,
    ...problems.map((problem) => paint.bad(`  ${problem}`)),
    ...(secondLooks.length === 0
      ? []
      : [
          paint.warn('  looked at again, each with a core to itself:'),
          ...secondLooks.map(({ name, saw }) => paint.warn(`    ${name}; at first, ${saw.join('; ').slice(0, 200)}`)),
        ]),
    '',
    `${caught} of ${scores.length} faults caught; ${falseAlarms.length} false alarms on ${legal} legal gateways; ${durationS} s, seed ${seed}`,
  ].join('\n')
}
