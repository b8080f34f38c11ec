import { checks } from '../../suites/index.ts'
import type { Verdict } from '../check/verdict.ts'
import { commandName } from '../command-name.ts'
import { countOf } from '../count.ts'
import { HarnessError } from '../harness-error.ts'
import { helpOf, parseOptions } from '../options/parse.ts'
import { shared } from '../options/shared.ts'
import { type JsonReport, readJson } from '../report/conformance/json.ts'
import { type KnownTarget, readExchanges, readKnownTarget } from '../report/evidence.ts'
import { evidenceHome } from '../report/evidence-folder.ts'
import type { Report } from '../report/report.ts'
import { ignoreLeftRequests } from '../run/left-requests.ts'
import { hidesSecrets, isSameVerdict, redraw } from '../run/redraw.ts'
import type { Command } from './command.ts'
import { evidenceFor } from './evidence-for.ts'
import { printHelp } from './print-help.ts'
import { readRunFile } from './run-file.ts'

const options = {
  evidence: {
    kind: 'text',
    value: 'DIR',
    about: `where the exchanges are (the folder of RUN.json, or ${evidenceHome})`,
  },
  verbose: { kind: 'flag', about: 'name the checks that cannot be recomputed' },
  help: shared.help,
} as const

/** `assay verify RUN.json`: whether this release's checks draw the same verdicts from the recorded evidence. */
export const verify: Command = {
  help: `${commandName('verify')} RUN.json [options]\n\nThe run must have kept its evidence (--evidence DIR). Exits with 1 if a verdict differs, and with 3 if\nnothing can be recomputed.\n\n${helpOf(options)}`,
  options,
  async run(args, io) {
    const { values, positionals } = parseOptions(options, args, io.env)
    if (values.help === true) {
      printHelp(verify, io)
      return 0
    }
    const [file, ...rest] = positionals
    if (file === undefined || rest.length > 0)
      throw new HarnessError('usage', 'verify takes one file written by --report json=FILE.')
    const run = readRunFile(io.folder, file)
    if (run.kind === 'load')
      throw new HarnessError('usage', 'A load run has no verdicts: verify takes a conformance run.')
    const folder = evidenceFor(run, values.evidence, io.folder)
    const known = readKnownTarget(folder)
    if (known === undefined) throw new HarnessError('evidence-missing', `${folder} is not the evidence of a run.`)
    const report = readJson(run.document as JsonReport, { folder, exchangesOf: (id) => readExchanges(folder, id) })
    ignoreLeftRequests()
    const { same, different, left } = await recompute(report, known)
    for (const line of different) io.out(line)
    if (values.verbose === true) for (const id of left) io.out(`${id}: needs the gateway itself`)
    io.out(
      `${countOf(same, 'verdict')} ${same === 1 ? 'follows' : 'follow'} from the evidence, ${different.length} differ, ${left.length} cannot be recomputed from what was kept.`,
    )
    if (different.length > 0) return 1
    return same > 0 ? 0 : 3
  },
}

interface Recomputed {
  same: number
  /** Verdicts that differ, a line each. */
  readonly different: string[]
  /** Ids of the checks that need the gateway. */
  readonly left: string[]
}

async function recompute(report: Report, known: KnownTarget): Promise<Recomputed> {
  const found: Recomputed = { same: 0, different: [], left: [] }
  for (const { id, verdict, exchanges } of report.results) {
    const check = checks.find((one) => one.id === id)
    if (check === undefined || (verdict.kind !== 'pass' && verdict.kind !== 'fail')) continue
    const again = await redraw(check, exchanges, { ...report, known })
    if (again !== undefined && isSameVerdict(verdict, again)) found.same += 1
    else if (again === undefined || hidesSecrets(exchanges)) found.left.push(check.id)
    else found.different.push(`${check.id}: the report says ${inWords(verdict)}; the evidence says ${inWords(again)}`)
  }
  return found
}

function inWords(verdict: Verdict): string {
  return verdict.kind === 'fail'
    ? `fail (${verdict.what}: expected ${verdict.expected}, got ${verdict.actual})`
    : verdict.kind
}
