import { dirname, resolve } from 'node:path'
import { checks } from '../../suites/index.ts'
import type { Check } from '../check/check.ts'
import type { SerializedResult } from '../check/result.ts'
import type { Verdict } from '../check/verdict.ts'
import { commandName } from '../command-name.ts'
import { countOf } from '../count.ts'
import { version } from '../fixtures.ts'
import { HarnessError } from '../harness-error.ts'
import { helpOf, parseOptions } from '../options/parse.ts'
import { type JsonReport, readJson } from '../report/conformance/json.ts'
import { isEvidenceOf, type KnownTarget, readExchanges, readKnownTarget } from '../report/evidence.ts'
import { evidenceHome } from '../report/evidence-folder.ts'
import { type Report, summarize } from '../report/report.ts'
import { gate } from '../run/gate.ts'
import { verdictFrom } from '../run/recompute.ts'
import type { TargetConfig } from '../target/config.ts'
import { readRecorded } from '../wire/tape.ts'
import type { Command } from './command.ts'
import { readRunFile } from './run-file.ts'

const options = {
  evidence: {
    kind: 'text',
    value: 'DIR',
    about: `where the exchanges are (the folder of RUN.json, or the newest run in ${evidenceHome})`,
  },
  verbose: { kind: 'flag', about: 'name the checks that cannot be recomputed' },
  help: { kind: 'flag', about: 'print this' },
} as const

/** `assay verify RUN.json`: whether the verdicts follow from the recorded evidence, without asking the gateway. */
export const verify: Command = {
  help: `${commandName('verify')} RUN.json [options]\n\nThe run must have kept its evidence (--evidence DIR). Exits with 1 if a verdict or the gate differs,\nand with 3 if nothing can be recomputed.\n\n${helpOf(options)}`,
  async run(args, io) {
    const { values, positionals } = parseOptions(options, args, io.env)
    if (values.help === true) {
      io.out(verify.help)
      return 0
    }
    const [file, ...rest] = positionals
    if (file === undefined || rest.length > 0)
      throw new HarnessError('usage', 'verify takes one file written by --report json=FILE.')
    const run = readRunFile(io.folder, file)
    if (run.kind === 'load')
      throw new HarnessError('usage', 'A load run has no verdicts: verify takes a conformance run.')
    const beside = dirname(run.path)
    const folder = resolve(io.folder, values.evidence ?? (readKnownTarget(beside) ? beside : evidenceHome))
    const known = readKnownTarget(folder)
    if (known === undefined) throw new HarnessError('evidence-missing', `${folder} holds no evidence of a run.`)
    if (!isEvidenceOf(folder, run.document as JsonReport))
      throw new HarnessError('evidence-missing', `${folder} holds the evidence of another run than ${file}.`)
    const report = readJson(run.document as JsonReport, { folder, exchangesOf: (id) => readExchanges(folder, id) })
    const { same, different, left } = await recompute(report, known)
    for (const line of different) io.out(line)
    for (const line of [...summaryDifferences(report), ...gateDifferences(report)]) {
      io.out(line)
      different.push(line)
    }
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
  const config = configOf(report, known)
  for (const result of report.results) {
    const check = checks.find(({ id }) => id === result.id)
    const { verdict } = result
    if (check === undefined || (verdict.kind !== 'pass' && verdict.kind !== 'fail')) continue
    const again = await verdictOf(check, result, { report, known, config })
    if (again === undefined) found.left.push(check.id)
    else if (isSame(verdict, again)) found.same += 1
    else found.different.push(`${check.id}: the report says ${inWords(verdict)}; the evidence says ${inWords(again)}`)
  }
  return found
}

/** Undefined where the evidence is incomplete: cut bodies, redacted secrets, sockets, nodes, the control API. */
async function verdictOf(
  check: Check,
  { exchanges }: SerializedResult,
  { report, known, config }: { readonly report: Report; readonly known: KnownTarget; readonly config: TargetConfig },
): Promise<Verdict | undefined> {
  const needsMore = check.needs?.some((capability) => capability !== 'client' && !capability.endsWith('-key'))
  const kept = exchanges.map((exchange, id) => readRecorded(exchange, id))
  const whole = kept.filter((exchange) => exchange !== undefined)
  if (needsMore === true || kept.length === 0 || whole.length < kept.length || hidesSecrets(exchanges)) return undefined
  const { seed, runs } = report.run
  return verdictFrom(check, { exchanges: whole, prepared: known.prepared, config, randomness: { seed, runs } })
}

function hidesSecrets(exchanges: SerializedResult['exchanges']): boolean {
  return exchanges.some(({ answer }) => JSON.stringify(answer ?? {}).includes('[redacted]'))
}

/** The run's target, with made-up keys that only have to differ: nothing is sent. */
function configOf(
  { target, run }: Report,
  { prepared, unavailableModel, contextWindow, long }: KnownTarget,
): TargetConfig {
  const has = (capability: string): boolean => target.capabilities.includes(capability)
  const names = ['second', 'revoked', 'unfunded', 'limited'] as const
  return {
    baseUrl: target.baseUrl,
    apiPath: target.apiPath,
    keys: {
      main: 'the-key-of-the-run',
      ...Object.fromEntries(names.filter((name) => has(`${name}-key`)).map((name) => [name, `a-${name}-key`])),
    },
    ...(prepared.model !== undefined && { model: prepared.model }),
    ...(unavailableModel !== undefined && { unavailableModel }),
    ...(contextWindow !== undefined && { contextWindow }),
    settlingMs: 0,
    headers: [],
    insecure: false,
    timeoutMs: prepared.silenceMsMax,
    concurrency: 1000,
    requestsMax: Number.POSITIVE_INFINITY,
    load: true,
    long,
    durationMsMax: Math.max(run.durationMs, 60_000),
    runId: 'verify',
    version,
  }
}

/** Compares what was looked at, not the values in words: these may contain a time. */
function isSame(verdict: Verdict, again: Verdict): boolean {
  return (
    verdict.kind === again.kind && (verdict.kind !== 'fail' || again.kind !== 'fail' || verdict.what === again.what)
  )
}

function inWords(verdict: Verdict): string {
  return verdict.kind === 'fail'
    ? `fail (${verdict.what}: expected ${verdict.expected}, got ${verdict.actual})`
    : verdict.kind
}

function summaryDifferences({ summary, results }: Report): readonly string[] {
  const again = summarize(results)
  return (['must', 'should', 'open'] as const).flatMap((level) =>
    JSON.stringify(sorted(summary[level])) === JSON.stringify(sorted(again[level]))
      ? []
      : [
          `summary.${level}: the report says ${JSON.stringify(summary[level])}; its results say ${JSON.stringify(again[level])}`,
        ],
  )
}

function sorted(counts: object): object {
  return Object.fromEntries(Object.entries(counts).toSorted())
}

/** A run fails exactly when a check fails at the gate's level that is not a known failure. */
function gateDifferences({ gate: stated, results }: Report): readonly string[] {
  const known = new Map(results.flatMap(({ id, known: entry }) => (entry === undefined ? [] : [[id, entry] as const])))
  const again = gate(results, { level: stated.level, scope: stated.scope ?? 'contract', allowUndecided: true, known })
  return (stated.exitCode === 1) === (again.exitCode === 1)
    ? []
    : [`gate: the report says ${stated.exitCode}; its results say ${again.exitCode} (${again.reason})`]
}
