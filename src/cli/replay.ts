import { resolve } from 'node:path'
import { checks } from '../../suites/index.ts'
import type { CheckId } from '../check/check-ids.ts'
import { commandName } from '../command-name.ts'
import { isRecord, parseJson } from '../json.ts'
import { targetOptions } from '../options/conformance.ts'
import { helpOf, parseOptions, type Values } from '../options/parse.ts'
import { readTargetAddress } from '../options/target.ts'
import { type EvidenceOfCheck, readEvidence, readExchanges } from '../report/evidence.ts'
import { evidenceHome } from '../report/evidence-folder.ts'
import { saidOf } from '../report/said.ts'
import type { RunPlan } from '../run/plan.ts'
import { run } from '../run/run.ts'
import { readTargetPlan } from '../run/settings.ts'
import { chatPath } from '../target/chat.ts'
import { bodyText } from '../wire/recorded-exchange.ts'
import { checkNamed } from './check-named.ts'
import type { Command, ExitCode } from './command.ts'
import { printHelp } from './print-help.ts'

const options = {
  evidence: {
    kind: 'text',
    value: 'DIR',
    about: `the folder of the run, or of several: then the newest (${evidenceHome})`,
  },
  ...targetOptions,
  help: { kind: 'flag', about: 'print this' },
} as const

/** `assay replay ID`: runs one check again from its evidence, on the same target or another. */
export const replay: Command = {
  help: `${commandName('replay')} ID [options]\n\nSays whether a failure is fixed (0), still failing (1) or not reproducible (3). What a check only sees\nbehind a whole run is replayed with one. Nodes and the control API are those of the run unless given; keys and\ntokens must be given again.\n\n${helpOf(options)}`,
  options,
  operands: 'checks',
  async run(args, io) {
    const { values, positionals } = parseOptions(options, args, io.env)
    if (values.help === true) {
      printHelp(replay, io)
      return 0
    }
    const check = checkNamed(positionals[0])
    const folder = resolve(io.folder, values.evidence ?? evidenceHome)
    const evidence = readEvidence(folder, check.id)
    const made = planOf(evidence, values, io.folder)
    const sample = check.phase === 'audit' ? sampleIn(folder, check.id, evidence.model) : undefined
    const plan = {
      ...made,
      selected: check.ofWholeRun === true ? checks.map(({ id }) => id) : [check.id],
      randomness: { ...made.randomness, ...(sample !== undefined && { sample }) },
    }
    const result = (await run(plan)).results.find(({ id }) => id === check.id)
    const verdict = result?.verdict
    if (verdict?.kind === 'fail')
      return say(1, `${check.id}: still failing: ${verdict.what}: expected ${verdict.expected}, got ${verdict.actual}`)
    if (verdict?.kind === 'pass' || verdict?.kind === 'observed') return say(0, `${check.id}: fixed`)
    return say(3, `${check.id}: not reproducible: ${result === undefined ? 'it was not asked' : saidOf(result)}`)

    function say(exitCode: ExitCode, line: string): ExitCode {
      io.out(line)
      return exitCode
    }
  },
}

/** The request whose answer showed the failure: an audit looks at what others asked, and alone it would not be asked. */
function sampleIn(folder: string, id: CheckId, model: string | undefined): Record<string, unknown> | undefined {
  const shown = readExchanges(folder, id).at(-1)
  if (shown?.request.method !== 'POST' || !shown.request.url.endsWith(chatPath)) return undefined
  const body = parseJson(bodyText(shown.request.body))
  if (!isRecord(body)) return undefined
  const { model: asked, ...others } = body
  return asked === model ? others : body
}

/** The plan of the run that wrote the evidence; what the user gives takes precedence. */
export function planOf(evidence: EvidenceOfCheck, values: Values<typeof options>, folder: string): RunPlan {
  const { embedded, nodes, nodeDialect, controlUrl, counterexample, seed, runs, settlingMs, timeoutMs } = evidence
  const { 'base-url': given, ...others } = values
  const isElsewhere = given !== undefined && readTargetAddress(given, evidence.apiPath).baseUrl !== evidence.baseUrl
  const plan = readTargetPlan(
    {
      // The embedded gateway ended with its run, so a new one is started.
      ...(isElsewhere ? { 'base-url': given } : embedded !== true && { 'base-url': evidence.baseUrl }),
      ...(!isElsewhere && { 'api-path': evidence.apiPath }),
      ...(evidence.model !== undefined && !isElsewhere && { model: evidence.model }),
      ...(evidence.unavailableModel !== undefined && { 'unavailable-model': evidence.unavailableModel }),
      ...(evidence.contextWindow !== undefined && { 'context-window': evidence.contextWindow }),
      ...(controlUrl !== undefined && embedded !== true && !isElsewhere && { control: controlUrl }),
      ...(settlingMs !== undefined && { settling: settlingMs / 1000 }),
      ...(timeoutMs !== undefined && { timeout: timeoutMs }),
      ...(evidence.long === true && { long: true }),
      ...(evidence.costly === true && { costly: true }),
      ...(evidence.load === true && { load: true }),
      ...others,
    },
    folder,
  )
  return {
    ...plan,
    ...(plan.nodes === undefined && nodes !== undefined && { nodes }),
    ...(plan.nodeDialect === undefined && nodeDialect !== undefined && { nodeDialect }),
    randomness:
      counterexample === undefined ? { seed, runs } : { seed: counterexample.seed, runs, path: counterexample.path },
  }
}
