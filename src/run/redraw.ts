import type { Check } from '../check/check.ts'
import type { Verdict } from '../check/verdict.ts'
import { version } from '../fixtures.ts'
import type { KnownTarget } from '../report/evidence.ts'
import type { Report } from '../report/report.ts'
import { capabilitiesOf } from '../target/capabilities.ts'
import type { TargetConfig } from '../target/config.ts'
import type { RecordedExchange } from '../wire/recorded-exchange.ts'
import { readRecorded } from '../wire/tape.ts'
import { verdictFrom } from './recompute.ts'

/** What was kept of a run besides the exchanges of its checks. */
export interface KeptRun {
  readonly target: Pick<Report['target'], 'baseUrl' | 'apiPath' | 'capabilities'>
  readonly run: Pick<Report['run'], 'seed' | 'runs' | 'quick' | 'durationMs'>
  readonly known: KnownTarget
}

/**
 * The verdict of a check, drawn again from what was kept of its exchanges. Undefined where that is not enough: cut bodies,
 * sockets, the control API, what other checks asked, or a question that was not asked then.
 */
export async function redraw(
  check: Check,
  recorded: readonly RecordedExchange[],
  kept: KeptRun,
): Promise<Verdict | undefined> {
  const config = configOf(kept)
  const available = capabilitiesOf(config)
  // What other checks asked of our nodes is kept with them.
  const isOfOthers = check.ofWholeRun === true && check.needs?.includes('nodes') === true
  const needsMore = isOfOthers || (check.needs?.some((capability) => !available.has(capability)) ?? false)
  const whole = recorded.map(readRecorded).filter((exchange) => exchange !== undefined)
  if (needsMore || whole.length === 0 || whole.length < recorded.length) return undefined
  const { prepared } = kept.known
  const { seed, runs, quick: isQuick = false } = kept.run
  return verdictFrom(check, { exchanges: whole, prepared, config, randomness: { seed, runs, isQuick } })
}

/** Compares what was looked at, not the values in words: these may contain a time. */
export function isSameVerdict(one: Verdict, other: Verdict): boolean {
  return one.kind === other.kind && (one.kind !== 'fail' || other.kind !== 'fail' || one.what === other.what)
}

/** Whether a check may have seen a secret that the record does not show. */
export function hidesSecrets(recorded: readonly RecordedExchange[]): boolean {
  return recorded.some(({ answer }) => JSON.stringify(answer ?? {}).includes('[redacted]'))
}

/** The run's target, with made-up keys that only have to differ: nothing is sent. */
function configOf({ target, run, known }: KeptRun): TargetConfig {
  const { prepared, unavailableModel, contextWindow, nodesConfig, long, costly, load } = known
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
    ...(nodesConfig !== undefined && { nodes: nodesConfig }),
    settlingMs: 0,
    headers: [],
    insecure: false,
    timeoutMs: prepared.silenceMsMax,
    concurrency: 1000,
    requestsMax: Number.POSITIVE_INFINITY,
    load,
    long,
    ...(costly !== undefined && { costly }),
    durationMsMax: Math.max(run.durationMs, 60_000),
    runId: 'verify',
    version,
  }
}
