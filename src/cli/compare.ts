import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { commandName } from '../command-name.ts'
import { HarnessError } from '../harness-error.ts'
import { listAt } from '../json.ts'
import { type ComparedMetric, compareSamples, type Samples } from '../load/compare.ts'
import { isMetric, type MetricName } from '../load/figures/metrics.ts'
import { helpOf, parseOptions } from '../options/parse.ts'
import { shared } from '../options/shared.ts'
import { compareVerdicts, gates } from '../report/compare/compare.ts'
import { badShare, cautionsOf } from '../report/compare/loads.ts'
import { renderCompare } from '../report/compare/terminal.ts'
import { tryFile } from '../report/outputs.ts'
import { renderComparisonPage } from '../report/pages/comparison.ts'
import type { Command } from './command.ts'
import { printHelp } from './print-help.ts'
import { readRunFile } from './run-file.ts'

const options = {
  'max-regress': {
    kind: 'list',
    value: 'METRIC.STAT=P%',
    about: 'how much worse still counts as unchanged (5%; repeatable)',
  },
  html: { kind: 'text', value: 'FILE', about: 'the comparison as a page' },
  json: { kind: 'flag', about: 'the comparison as JSON' },
  help: shared.help,
} as const

const toleranceDefault = 0.05

/** `assay compare`: compares two runs of one kind by their JSON reports; exits with 1 on a regression. */
export const compare: Command = {
  help: `${commandName('compare')} BEFORE.json AFTER.json [options]\n\n${helpOf(options)}`,
  options,
  async run(args, io) {
    const { values, positionals } = parseOptions(options, args, io.env)
    if (values.help === true) {
      printHelp(compare, io)
      return 0
    }
    const [before, after, ...rest] = positionals.map((file) => readRunFile(io.folder, file))
    if (before === undefined || after === undefined || rest.length > 0)
      throw new HarnessError('usage', 'compare takes two files written by --report json=FILE.')
    const tolerances = readTolerances(values['max-regress'] ?? [])
    if (before.kind !== after.kind)
      throw new HarnessError('usage', 'One file is from a conformance run, the other from a load run.')
    if (values.html !== undefined) tryFile(`--html ${values.html}`, resolve(io.folder, values.html))
    const compared =
      before.kind === 'load'
        ? {
            kind: 'load' as const,
            metrics: compareLoad(before.document, after.document, tolerances),
            bad: [badShare(before.document), badShare(after.document)] as const,
            cautions: cautionsOf(before.document, after.document),
          }
        : { kind: 'conformance' as const, checks: compareVerdicts(before.document, after.document) }
    const regressions =
      compared.kind === 'load'
        ? compared.metrics.filter(({ verdict }) => verdict === 'worse')
        : compared.checks.filter(({ kind, level }) => kind === 'regression' && gates(after.document, level))
    if (values.html !== undefined)
      writeFileSync(resolve(io.folder, values.html), renderComparisonPage(before.document, after.document, compared))
    if (values.json === true)
      io.out(
        JSON.stringify(
          { schema: 'inference-assay/comparison/1', ...compared, regressions: regressions.length },
          null,
          2,
        ),
      )
    else io.out(renderCompare(compared, regressions.length))
    return regressions.length > 0 ? 1 : 0
  },
}

type Tolerances = ReadonlyMap<string, number>

function readTolerances(list: readonly string[]): Tolerances {
  return new Map(
    list.map((one) => {
      const [, name = '', percent] = /^(\w+\.p(?:50|95))=(\d+(?:\.\d+)?)%$/.exec(one) ?? []
      if (percent === undefined || !isMetric(name.split('.')[0] ?? ''))
        throw new HarnessError('usage', `--max-regress must look like ttft.p95=5%, got "${one}".`)
      return [name, Number(percent) / 100]
    }),
  )
}

function compareLoad(before: unknown, after: unknown, tolerances: Tolerances): readonly ComparedMetric[] {
  const samplesOf = (document: unknown): Samples =>
    listAt(document, 'samples').map((sample) => (sample as { readonly values: Samples[number] }).values)
  const toleranceOf = (metric: MetricName, percentile: string): number =>
    tolerances.get(`${metric}.${percentile}`) ?? toleranceDefault
  return compareSamples(samplesOf(before), samplesOf(after), toleranceOf, 1)
}
