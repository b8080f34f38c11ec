import { resolve } from 'node:path'
import { commandName } from '../command-name.ts'
import { HarnessError } from '../harness-error.ts'
import { targetOptions } from '../options/conformance.ts'
import { helpOf, parseOptions, type Values } from '../options/parse.ts'
import { readTargetAddress } from '../options/target.ts'
import { type EvidenceOfCheck, readEvidence } from '../report/evidence.ts'
import { evidenceHome } from '../report/evidence-folder.ts'
import { saidOf } from '../report/said.ts'
import type { RunPlan } from '../run/plan.ts'
import { run } from '../run/run.ts'
import { readTargetPlan } from '../run/settings.ts'
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
  help: `${commandName('replay')} ID [options]\n\nSays whether a failure is fixed (0), still failing (1) or not reproducible (3). Nodes and the\ncontrol API are those of the run unless given; keys, tokens and headers must be given\nagain.\n\n${helpOf(options)}`,
  options,
  operands: 'checks',
  async run(args, io) {
    const { values, positionals } = parseOptions(options, args, io.env)
    if (values.help === true) {
      printHelp(replay, io)
      return 0
    }
    const check = checkNamed(positionals[0])
    const evidence = readEvidence(resolve(io.folder, values.evidence ?? evidenceHome), check.id)
    const plan = { ...planOf(evidence, values, io.folder), selected: [check.id] }
    const [result] = (await run(plan)).results
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

/** The plan of the run that wrote the evidence; what the user gives takes precedence. */
function planOf(evidence: EvidenceOfCheck, values: Values<typeof options>, folder: string): RunPlan {
  const { embedded, nodes, nodeDialect, controlUrl, counterexample, seed, runs } = evidence
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
      ...(evidence.long === true && { long: true }),
      ...(evidence.costly === true && { costly: true }),
      ...(evidence.load === true && { load: true }),
      ...others,
    },
    folder,
  )
  if (!isElsewhere) refuseWithoutHeaders(evidence, plan)
  return {
    ...plan,
    ...(plan.nodes === undefined && nodes !== undefined && { nodes }),
    ...(plan.nodeDialect === undefined && nodeDialect !== undefined && { nodeDialect }),
    randomness:
      counterexample === undefined ? { seed, runs } : { seed: counterexample.seed, runs, path: counterexample.path },
  }
}

/** Without a header that every request had, each answer is another: what would be said of the check is not about it. */
function refuseWithoutHeaders({ headerNames = [] }: EvidenceOfCheck, { target: { headers } }: RunPlan): void {
  const given = headers.map(([name]) => name.toLowerCase())
  const missing = headerNames.filter((name) => !given.includes(name.toLowerCase()))
  if (missing.length === 0) return
  const again = missing.map((name) => `--header '${name}: …'`).join(' ')
  throw new HarnessError('usage', `The run had headers whose values are not kept: give ${again} again.`)
}
