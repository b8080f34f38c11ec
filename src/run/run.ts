import { checks } from '../../suites/index.ts'
import type { SerializedResult } from '../check/result.ts'
import { version } from '../fixtures.ts'
import { optional } from '../options/target.ts'
import { type ReplayFacts, type Report, summarize } from '../report/report.ts'
import { rootsOf } from '../report/roots.ts'
import { capabilitiesOf } from '../target/capabilities.ts'
import { type NodesConfig, secretsOf, type TargetConfig } from '../target/config.ts'
import type { Prepared } from '../target/prepare.ts'
import { createRedactor, redactData } from '../wire/redact.ts'
import { costUsd } from './budget/cost.ts'
import type { BudgetPlan } from './budget/plan.ts'
import { execute, type Orders, type Watcher } from './execute.ts'
import { gate, isInterrupted } from './gate.ts'
import { unlessInterrupted } from './interruption.ts'
import { openKnownFailures, refreshKnownFailures } from './known-failures-file.ts'
import { noticesOf } from './notices.ts'
import type { RunPlan } from './plan.ts'
import { executeInRunner } from './runner.ts'
import { compareWith, reachSecond } from './second-gateway.ts'
import { bringUp } from './subject.ts'
import { unaskedOf } from './unasked.ts'

export interface RunOptions {
  /** Where the checks run: in this thread, or in one of their own. */
  readonly thread?: 'this' | 'own'
  readonly signal?: AbortSignal
  /** After the first contact with each gateway. */
  prepared?(config: TargetConfig, most: BudgetPlan['most'], notices: readonly string[]): void
  result?(result: SerializedResult): void
  /** What is open on a gateway that outlives the run, whenever that changes. */
  open?(all: readonly string[]): void
  /** Something that the user should know and that stops nothing. */
  notice?(line: string): void
}

/**
 * The one way to run: starts what the plan needs (the embedded gateway, nodes), runs the checks against the target,
 * gates and reports. Throws `HarnessError` for a mistake in the plan, and if nothing can be judged.
 */
export async function run(plan: RunPlan, options: RunOptions = {}): Promise<Report> {
  // A mistake in the file is reported before the run, not after it.
  openKnownFailures(plan.knownFailures, checks)
  const { signal } = options
  const startMs = performance.now()
  const subject = await bringUp(plan, signal)
  try {
    const { against, knownFailures: _, ...same } = plan
    const second = against && (await unlessInterrupted(reachSecond(subject.config, against), signal))
    const report = await judgeOne(subject.config, plan, options, startMs)
    if (second === undefined || report.gate.exitCode === 130) return report
    return await compareWith(report, second.baseUrl, () => judgeOne(second, same, options, performance.now()))
  } finally {
    await subject.close()
  }
}

/** `startMs` is when its time began to run. */
async function judgeOne(config: TargetConfig, plan: RunPlan, options: RunOptions, startMs: number): Promise<Report> {
  const { selected, randomness, keepAll } = plan
  const startedAt = new Date()
  const start = performance.now()
  const orders: Orders = { config, selected, randomness, keepAll, usedMs: start - startMs }
  const watcher: Watcher = {
    prepared: (prepared, most) => options.prepared?.(config, most, noticesOf(config, prepared)),
    result: (result) => options.result?.(result),
    open: (all) => options.open?.(plan.baseUrl === undefined ? [] : all),
  }
  const carryOut = options.thread === 'own' ? executeInRunner : execute
  const { prepared, results, spending, roomForAll } = await carryOut(orders, watcher, options.signal)
  const durationMs = Math.round(performance.now() - start)
  // A list of models may name anything, even the key that asked for it.
  const told = redactData(prepared, createRedactor(secretsOf(config)))
  const unasked = unaskedOf(results, checks, {
    requests: spending.requests,
    limited: spending.limited,
    unavailable: spending.unavailable,
    durationMs,
    durationMsMax: config.durationMsMax,
    terms: randomness,
    ...optional({ roomForAll }),
  })
  const isCut = results.some(isInterrupted)
  const known = isCut
    ? openKnownFailures(plan.knownFailures, checks)
    : refreshKnownFailures(plan.knownFailures, checks, results, (line) => options.notice?.(line))
  const judged = results.map((result) => {
    const entry = known.get(result.id)
    return entry === undefined ? result : { ...result, known: entry }
  })
  return {
    harness: { name: 'inference-assay', version },
    contract: 'v1',
    target: describe(config, told),
    notices: noticesOf(config, prepared),
    run: {
      startedAt: startedAt.toISOString(),
      durationMs,
      seed: randomness.seed,
      runs: randomness.runs,
      ...(randomness.isQuick === true && { quick: true }),
      requests: spending.requests,
      tokens: spending.tokens,
      costUsd: costUsd(spending.tokens, prepared),
    },
    evidenceFolder: plan.evidenceFolder,
    replay: replayOf(config, plan),
    gate: { level: plan.gate.level, scope: plan.gate.scope, ...gate(results, { ...plan.gate, known }) },
    prepared: told,
    summary: summarize(results),
    ...(unasked !== undefined && { unasked }),
    roots: rootsOf(judged, checks),
    results: judged,
  }
}

/** The target as a report names it: of its keys, only the capabilities that they give. */
function describe(config: TargetConfig, { roster, model }: Prepared): Report['target'] {
  return {
    baseUrl: config.baseUrl,
    apiPath: config.apiPath,
    models: roster.map(({ id }) => id),
    model: model ?? null,
    capabilities: [...capabilitiesOf(config)],
  }
}

/** What a replay needs in order to start it all again, except keys and tokens, which are never written. */
function replayOf(config: TargetConfig, plan: RunPlan): ReplayFacts {
  const { unavailableModel, contextWindow, long, costly, load, control, nodes, settlingMs, timeoutMs, headers } = config
  return {
    embedded: plan.baseUrl === undefined,
    long,
    ...optional({ costly }),
    load,
    settlingMs,
    timeoutMs,
    ...(unavailableModel !== undefined && { unavailableModel }),
    ...(contextWindow !== undefined && { contextWindow }),
    ...(plan.nodes !== undefined && { nodes: plan.nodes }),
    ...(plan.nodeDialect !== undefined && { nodeDialect: plan.nodeDialect }),
    ...(nodes !== undefined && { nodesConfig: withoutKey(nodes) }),
    ...(control !== undefined && 'url' in control && { controlUrl: control.url }),
    ...(headers.length > 0 && { headerNames: headers.map(([name]) => name) }),
  }
}

function withoutKey({ key: _, ...nodes }: NodesConfig): NodesConfig {
  return nodes
}
