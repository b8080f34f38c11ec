import { randomInt } from 'node:crypto'
import { allFaults } from '../../detection/catalogue.ts'
import { type Crew, calmCrew, detect } from '../../detection/run/detect.ts'
import { detectionFormats } from '../../detection/run/report.ts'
import { inOrder, isPerfect, type Score, scoreOf, type Wrong, wrongOf } from '../../detection/run/score.ts'
import { drawSubjects, type Subject } from '../../detection/run/subjects.ts'
import type { Examined, Orders } from '../../detection/run/worker.ts'
import { checks } from '../../suites/index.ts'
import { commandName } from '../command-name.ts'
import { countOf } from '../count.ts'
import { helpOf, parseOptions } from '../options/parse.ts'
import { readReports } from '../options/report.ts'
import { shared } from '../options/shared.ts'
import { tryOutputs, writeOutputs } from '../report/outputs.ts'
import type { Command, CommandIo } from './command.ts'
import { printHelp } from './print-help.ts'
import { createTally } from './progress/tally.ts'

const options = {
  only: { kind: 'list', value: 'NAME', names: 'faults', about: 'only these faults and variants (globs, repeatable)' },
  skip: { kind: 'list', value: 'NAME', names: 'faults', about: 'all but these (globs, repeatable)' },
  seed: {
    kind: 'number',
    value: 'N',
    min: 0,
    whole: true,
    about: 'of properties and combinations (random, printed)',
  },
  full: {
    kind: 'flag',
    about:
      'every fault against all checks, every variant by itself, 500 combinations instead of 60, 100 runs per property instead of 10',
  },
  report: {
    kind: 'list',
    value: 'FORMAT[=FILE]',
    about: `${Object.keys(detectionFormats).join(', ')} (repeatable; terminal)`,
  },
  help: shared.help,
} as const

/** `assay detection`: runs the checks against every fault, every legal variant, and combined variants. */
export const detection: Command = {
  help: `${commandName('detection')} [options]\n\n${helpOf(options)}`,
  options,
  async run(args, io) {
    const { values } = parseOptions(options, args, io.env)
    if (values.help === true) {
      printHelp(detection, io)
      return 0
    }
    const seed = values.seed ?? randomInt(2 ** 31)
    const full = values.full ?? false
    const reports = readReports(detectionFormats, values.report, io.folder)
    tryOutputs(reports)
    const subjects = drawSubjects({ seed, full, only: values.only ?? [], skip: values.skip ?? [] })
    const orders = { seed, runs: full ? 100 : 10 }
    const start = performance.now()
    io.err(`${countOf(subjects.length, 'gateway')} against ${countOf(checks.length, 'check')}, seed ${seed}`)
    const examined = await examineAll(subjects, orders, io)
    const first = scoreOf(inOrder(subjects, examined), allFaults, checks)
    const wrong = wrongOf(first, examined)
    const score =
      wrong.length > secondLooksMax(subjects) ? first : await lookAgain(wrong, subjects, examined, orders, io)
    const durationS = Math.round((performance.now() - start) / 1000)
    const problems = writeOutputs(
      reports,
      ({ format, file }) =>
        detectionFormats[format].render(score, { seed, full, durationS }, io.color && file === undefined),
      (text) => io.out(text),
    )
    for (const problem of problems) io.err(problem)
    if (!isPerfect(score)) return 1
    return problems.length === 0 ? 0 : 4
  },
}

/** Examines the subjects, and tells at once which of them were judged wrongly: a full run takes an hour. */
async function examineAll(
  subjects: readonly Subject[],
  orders: Orders,
  io: CommandIo,
  crew?: Crew,
): Promise<readonly Examined[]> {
  const examined: Examined[] = []
  const tally = createTally(subjects.length, 'gateway', io)
  const onExamined = (one: Examined): void => {
    examined.push(one)
    tally.count(one.subject.name)
    for (const { name, saw } of wrongOf(scoreOf([one], allFaults, checks), [one]))
      tally.keep(`${name}: ${saw.join('; ')}`)
  }
  await detect(subjects, orders, onExamined, crew)
  tally.end()
  return examined
}

/** How many may be judged wrongly by chance: one in fifty, and at least a dozen in a small set. */
const secondLooksMax = (subjects: readonly Subject[]): number => Math.max(12, subjects.length / 50)

/**
 * With several gateways at once on each core, what is judged by time may be judged wrongly. Such gateways are examined
 * again with a core to themselves, and that result counts; the report names them.
 */
async function lookAgain(
  wrong: readonly Wrong[],
  subjects: readonly Subject[],
  examined: readonly Examined[],
  orders: Orders,
  io: CommandIo,
): Promise<Score> {
  const names = wrong.map(({ name }) => name)
  const again = subjects.filter(({ name }) => names.includes(name))
  if (again.length === 0) return scoreOf(inOrder(subjects, examined), allFaults, checks)
  io.err(`${countOf(again.length, 'gateway')} again, each with a core to itself: ${names.join(', ')}`)
  const second = await examineAll(again, orders, io, calmCrew)
  const all = [...second, ...examined.filter(({ subject }) => !names.includes(subject.name))]
  return scoreOf(inOrder(subjects, all), allFaults, checks, wrong)
}
