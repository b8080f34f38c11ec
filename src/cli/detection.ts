import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { drawCombinations } from '../../reference-server/faults/combine.ts'
import { faults, variants } from '../../reference-server/faults/index.ts'
import { reportedVariants } from '../../reference-server/faults/reported-variants.ts'
import { checks } from '../../suites/index.ts'
import { HarnessError } from '../harness-error.ts'
import { createPaint, type Paint } from '../report/paint.ts'
import type { Command } from './command.ts'
import { calmCrew, detect, type Examined, type Subject } from './detect.ts'
import { renderMatrix } from './detection-matrix.ts'
import { inOrder, isPerfect, type Score, scoreOf, type Wrong, wrongOf } from './detection-score.ts'
import { settingFor } from './examine.ts'
import { helpOf, parseOptions } from './options.ts'
import { alone, detectPools, poolFaults } from './pools.ts'

const options = {
  only: { kind: 'list', value: 'NAME', about: 'only these faults and variants (globs, repeatable)' },
  skip: { kind: 'list', value: 'NAME', about: 'all but these' },
  seed: { kind: 'number', value: 'N', min: 0, whole: true, about: 'of properties and combinations (random, printed)' },
  full: { kind: 'flag', about: 'every variant alone, 500 combinations not 60, 100 runs a property not 10' },
  report: { kind: 'list', value: 'FORMAT[=FILE]', about: 'terminal, json, html (repeatable; terminal)' },
  help: { kind: 'flag', about: 'print this' },
} as const

/** `assay detection`: holds all checks against every fault, every legal variant, and variants combined. */
export const detection: Command = {
  summary: 'referee the referee: what is caught, and who is accused wrongly',
  help: `assay detection [options]\n\n${helpOf(options)}`,
  async run(args, io) {
    const { values } = parseOptions(options, args, io.env)
    if (values.help === true) {
      io.out(detection.help)
      return 0
    }
    const seed = values.seed ?? randomInt(2 ** 31)
    const full = values.full ?? false
    const reports = (values.report ?? ['terminal']).map(readReport)
    const runs = full ? 100 : 10
    const subjects = subjectsOf(seed, full, values.only ?? [], values.skip ?? [])
    const start = performance.now()
    const examined: Examined[] = []
    // Whoever asks for a fault by its name gets it alone, and so does a full run.
    const pools = full || values.only !== undefined ? alone(subjects) : poolFaults(subjects, faults, checks)
    io.err(`${subjects.length} subjects in ${pools.length} gateways against ${checks.length} checks, seed ${seed}`)
    await detectPools(pools, faults, { seed, runs }, (one) => {
      examined.push(one)
      if (io.live) process.stderr.write(`\r\u001b[2K${examined.length}/${subjects.length} ${one.subject.name}`)
    })
    if (io.live) process.stderr.write('\r\u001b[2K')
    const first = scoreOf(inOrder(subjects, examined), faults, checks)
    const again = wrongOf(first, examined)
    const score =
      again.length > secondLooksMax(subjects) ? first : await lookAgain(again, { subjects, examined, seed, runs })
    const durationS = Math.round((performance.now() - start) / 1000)
    for (const { format, file } of reports) {
      const text = render(format, score, { seed, full, durationS }, createPaint(io.color && file === undefined))
      if (file === undefined) io.out(text.trimEnd())
      else writeFileSync(resolve(io.folder, file), text)
    }
    return isPerfect(score) ? 0 : 1
  },
}

/** How many may come out wrong by chance: one of fifty, and some in a small set too. */
const secondLooksMax = (subjects: readonly Subject[]): number => Math.max(12, subjects.length / 50)

/**
 * Several gateways at once on each core are a hard place for what is judged by its time. What came out wrong there is
 * examined again with a core to itself, and that counts; the report names it.
 */
async function lookAgain(
  again: readonly Wrong[],
  {
    subjects,
    examined,
    seed,
    runs,
  }: {
    readonly subjects: readonly Subject[]
    readonly examined: readonly Examined[]
    readonly seed: number
    readonly runs: number
  },
): Promise<Score> {
  const second: Examined[] = []
  const names = again.map(({ name }) => name)
  const wrong = subjects.filter(({ name }) => names.includes(name))
  const keep = (one: Examined): readonly Subject[] => {
    second.push(one)
    return []
  }
  if (wrong.length > 0) await detect(wrong, seed, runs, keep, calmCrew)
  const all = [...second, ...examined.filter(({ subject }) => !names.includes(subject.name))]
  return scoreOf(inOrder(subjects, all), faults, checks, again)
}

interface RunFacts {
  readonly seed: number
  readonly full: boolean
  readonly durationS: number
}

const formats = ['terminal', 'json', 'html'] as const

function readReport(report: string): { readonly format: (typeof formats)[number]; readonly file?: string } {
  const [name, file] = report.split('=', 2)
  const format = formats.find((one) => one === name)
  if (format === undefined)
    throw new HarnessError('usage', `--report must be one of: ${formats.join(', ')}; got "${name}".`)
  return file === undefined ? { format } : { format, file }
}

function subjectsOf(seed: number, full: boolean, only: readonly string[], skip: readonly string[]): readonly Subject[] {
  // A legal gateway is held against the checks that play its nodes in a full run: they take twice the time.
  // None of them is silent for ever, or never writes its books: whoever takes long there waits for its neighbours.
  const legal = { withNodes: full, timeoutMs: 4000, settlingMs: 600 }
  const names = Object.keys(variants)
  const reported: readonly string[] = reportedVariants
  const due = names.filter((name) => !reported.includes(name))
  const combinations = drawCombinations({ seed, count: full ? 500 : 60, table: variants, due })
  const all: readonly Subject[] = [
    ...Object.entries(faults).map(
      ([name, { breaks }]): Subject => ({
        kind: 'fault',
        name,
        entries: [name],
        setting: { ...settingFor(breaks), ...(full && { load: true }) },
      }),
    ),
    // Whoever asks for a variant by its name gets it alone.
    ...(full || only.length > 0 ? names : reported).map(
      (name): Subject => ({ kind: 'variant', name, entries: [name], setting: legal }),
    ),
    ...combinations.map(
      (entries, at): Subject => ({ kind: 'combination', name: `combination-${at + 1}`, entries, setting: legal }),
    ),
  ]
  const matches = ({ name }: Subject, patterns: readonly string[]): boolean =>
    patterns.some((pattern) => globOf(pattern).test(name))
  const chosen = all.filter((subject) => (only.length === 0 || matches(subject, only)) && !matches(subject, skip))
  if (chosen.length === 0) throw new HarnessError('usage', 'No fault and no variant is left by --only and --skip.')
  return chosen
}

function globOf(pattern: string): RegExp {
  return new RegExp(`^${pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`)
}

function render(format: (typeof formats)[number], score: Score, facts: RunFacts, paint: Paint): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify({ schema: 'inference-assay/detection/1', ...facts, ...score }, null, 2)}\n`
    case 'html':
      return renderMatrix(score, checks)
    case 'terminal':
      return `${terminal(score, facts, paint)}\n`
  }
}

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
    .map(({ name, root, about }) => paint.bad(`  survived: ${name} (${root}) ${about}`))
  const impure = scores
    .map(({ name, missing, strangers }) => {
      const saw = [...missing.map((id) => `${id} did not fail`), ...strangers.map((id) => `${id} failed besides`)]
      return { name, saw }
    })
    .filter(({ saw }) => saw.length > 0)
    .map(({ name, saw }) => paint.warn(`  not one cause: ${name}: ${saw.join(', ')}`))
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
          ...secondLooks.map(({ name, saw }) => paint.warn(`    ${name}, where first ${saw.join('; ').slice(0, 200)}`)),
        ]),
    '',
    `${caught} of ${scores.length} faults caught; ${falseAlarms.length} false alarms on ${legal} legal gateways; ${durationS} s, seed ${seed}`,
  ].join('\n')
}
