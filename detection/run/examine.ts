import type { Wrap } from '../../reference-server/gateway/seams.ts'
import type { CheckId } from '../../src/check/check-ids.ts'
import type { SerializedResult } from '../../src/check/result.ts'
import { version } from '../../src/fixtures.ts'
import { startEmbedded } from '../../src/run/embedded.ts'
import { run } from '../../src/run/run.ts'
import type { TargetConfig } from '../../src/target/config.ts'
import { checks } from '../../suites/index.ts'

/** Where nodes hang on purpose, a gateway that waits for them as long as in earnest would make a run of minutes. */
const patient = { connectMs: 1000, headMs: 8000, firstTokenMs: 8000, gapMs: 8000 }
const hurried = { connectMs: 600, headMs: 3000, firstTokenMs: 3000, gapMs: 3000 }

/** Far less than the reference streams on any machine. */
const promisedEventsPerS = 500

/** Where a gateway is examined, and what its checks may do there. */
export type Setting = Pick<ExamineOptions, 'withNodes' | 'load' | 'long' | 'eventsPerSMin' | 'timeoutMs' | 'settlingMs'>

/** What the checks of a fault need: our nodes, load, patience. With all of it, a run would take twice its time. */
export function settingFor(breaks: readonly CheckId[]): Setting {
  const needed = new Set(checks.filter(({ id }) => breaks.includes(id)).flatMap(({ needs = [] }) => needs))
  return {
    withNodes: needed.has('nodes') || needed.has('two-nodes'),
    load: needed.has('load'),
    long: needed.has('long'),
    ...(breaks.includes('throughput.as-promised') && { eventsPerSMin: promisedEventsPerS }),
  }
}

export interface ExamineOptions {
  readonly wraps: readonly Wrap[]
  readonly seed: number
  /** Most runs of a property. */
  readonly runs: number
  /** All checks when absent. */
  readonly selected?: readonly CheckId[]
  /** Silence after which a faulty gateway is given up. */
  readonly timeoutMs?: number
  /** Whether the gateway has our nodes behind it, which many checks then talk to. */
  readonly withNodes?: boolean
  /** Whether checks that put load on the gateway are among them. */
  readonly load?: boolean
  /** Whether checks that wait for a node to be given up are among them. */
  readonly long?: boolean
  /** What its profile promises. */
  readonly eventsPerSMin?: number
  /** How long its books may take to show a request. */
  readonly settlingMs?: number
  /** Longest duration of the run: a minute, or two with nodes, unless it is given. */
  readonly durationMsMax?: number
}

/** Starts a reference gateway with wrappers around its seams, holds it against the checks, and stops it. */
export async function examine({
  wraps,
  seed,
  runs,
  selected = checks.map(({ id }) => id),
  timeoutMs = 1500,
  withNodes = false,
  load = true,
  long = false,
  eventsPerSMin,
  settlingMs = 250,
  durationMsMax = withNodes ? 120_000 : 60_000,
}: ExamineOptions): Promise<readonly SerializedResult[]> {
  const embedded = await startEmbedded({ seed: 1, wraps, withNodes, nodeLimits: long ? hurried : patient })
  const target: TargetConfig = {
    ...embedded.known,
    ...(eventsPerSMin !== undefined && { eventsPerSMin }),
    settlingMs,
    long,
    headers: [],
    insecure: false,
    timeoutMs,
    concurrency: 8,
    requestsMax: 100_000,
    load,
    durationMsMax,
    runId: 'examine',
    version,
  }
  try {
    const report = await run({
      baseUrl: target.baseUrl,
      target,
      selected,
      randomness: { seed, runs },
      gate: { level: 'should', allowUndecided: true },
      costUsdMax: Number.POSITIVE_INFINITY,
      keepAll: false,
      evidenceFolder: '',
    })
    return report.results
  } finally {
    await embedded.close()
  }
}
