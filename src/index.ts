import { startGateway } from '../reference-server/main.ts'
import { checks } from '../suites/index.ts'
import { costUsd } from './check/cost.ts'
import { gate } from './check/gate.ts'
import { judge as judgeChecks } from './check/judge.ts'
import { sealResult } from './check/sealed.ts'
import { selectChecks } from './check/select.ts'
import { readConformanceSettings } from './cli/conformance-options.ts'
import { describeTarget } from './cli/describe-target.ts'
import { version } from './fixtures.ts'
import { type Report, summarize } from './report/report.ts'

export type { GatewayOptions, RunningGateway } from '../reference-server/main.ts'
export { type NodeOptions, type RunningNode, startNode } from '../reference-server/nodes/node-server.ts'
export { HarnessError } from './harness-error.ts'
export type { Report } from './report/report.ts'

/** Starts the reference gateway in this process, on a free port of 127.0.0.1 unless told otherwise, its books in memory. */
export const startReferenceGateway = startGateway

/** The options of `assay conformance` by their names: texts, numbers, lists of texts, or `true` for a flag. */
export type JudgeOptions = { readonly 'base-url': string } & Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>

/**
 * Holds a gateway against the contract, in this process and without a test runner, and resolves to the report that the
 * command would write as JSON. Nothing is read from the environment. Throws `HarnessError` for a mistake in an option
 * (`exitCode` 2) and where nothing can be judged (3).
 */
export async function judge(options: JudgeOptions): Promise<Report> {
  const settings = readConformanceSettings(argumentsOf(options), {}, process.cwd())
  const startedAt = new Date().toISOString()
  const config = { ...settings.target, baseUrl: settings.baseUrl ?? '' }
  const selected = selectChecks(checks, settings.selection)
  const judgement = await judgeChecks({ config, checks, selected, randomness: settings.randomness })
  const results = judgement.results.map((result) => sealResult(result, judgement.redactor, false))
  const { prepared, spending, durationMs } = judgement
  return {
    harness: { name: 'inference-assay', version },
    contract: 'v1',
    target: describeTarget(config, prepared),
    run: {
      startedAt,
      durationMs: Math.round(durationMs),
      ...settings.randomness,
      requests: spending.requests,
      tokens: spending.tokens,
      costUsd: costUsd(spending.tokens, prepared),
    },
    evidenceFolder: 'assay-evidence',
    gate: { level: settings.level, ...gate(results, { ...settings, known: new Map() }) },
    summary: summarize(results),
    results,
  }
}

function argumentsOf(options: JudgeOptions): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === false) return []
    if (value === true) return [`--${name}`]
    return [value].flat().map((one) => `--${name}=${one}`)
  })
}
