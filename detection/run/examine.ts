import type { Wrap } from '../../reference-server/gateway/seams.ts'
import type { DialectName } from '../../reference-server/node-server/dialect/dialects.ts'
import type { CheckId } from '../../src/check/check-ids.ts'
import type { SerializedResult } from '../../src/check/result.ts'
import { version } from '../../src/fixtures.ts'
import { startEmbedded } from '../../src/run/embedded.ts'
import { run } from '../../src/run/run.ts'
import type { TargetConfig } from '../../src/target/config.ts'
import { checks } from '../../suites/index.ts'
import type { Given } from '../variants/variant.ts'

/** Nodes hang on purpose here: with the waiting times of a real gateway a run would take minutes. */
const patient = { connectMs: 1000, headMs: 8000, firstTokenMs: 8000, lateTokenMs: 8000, gapMs: 8000 }
const hurried = { connectMs: 600, headMs: 3000, firstTokenMs: 3000, lateTokenMs: 3000, gapMs: 3000 }

/** Far less than the reference gateway streams on any machine. */
const promisedEventsPerS = 500

/** Where a gateway is examined, and what its checks may do there. */
export type Setting = Pick<
  ExamineOptions,
  'withNodes' | 'load' | 'long' | 'eventsPerSMin' | 'timeoutMs' | 'settlingMs' | 'contextWindow'
>

/** What the checks of a fault need: our nodes, load, patience. With all of these every run would take twice as long. */
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
  /** The most runs of a property. */
  readonly runs: number
  /** All checks when absent. */
  readonly selected?: readonly CheckId[]
  /** After this much silence a faulty gateway is given up. */
  readonly timeoutMs?: number
  /** Whether the gateway has our nodes behind it, which many checks then use. */
  readonly withNodes?: boolean
  /** The engine whose shapes these nodes take. */
  readonly nodeDialect?: DialectName | undefined
  /** What the user of the gateway passes. */
  readonly given?: Given
  /** Whether to run the checks that put load on the gateway. */
  readonly load?: boolean
  /** Whether to run the checks that wait until a node is given up. */
  readonly long?: boolean
  /** The speed that its profile promises. */
  readonly eventsPerSMin?: number
  /** The tokens of its window, if no price tells. */
  readonly contextWindow?: number
  /** How long its books may take to show a request. */
  readonly settlingMs?: number
  /** The longest duration of the run, in milliseconds; two minutes by default, five with nodes, ten if checks may wait as well. */
  readonly durationMsMax?: number
}

/** Starts a reference gateway with wrappers around its seams, runs the checks against it, and stops it. */
export async function examine({
  wraps,
  seed,
  runs,
  selected = checks.map(({ id }) => id),
  timeoutMs = 1500,
  withNodes = false,
  nodeDialect,
  given: { model, key } = {},
  load = true,
  long = false,
  eventsPerSMin,
  contextWindow,
  settlingMs = 250,
  durationMsMax = withNodes ? (long ? 600_000 : 300_000) : 120_000,
}: ExamineOptions): Promise<readonly SerializedResult[]> {
  const embedded = await startEmbedded({ seed: 1, wraps, withNodes, nodeDialect, nodeLimits: long ? hurried : patient })
  const target: TargetConfig = {
    ...embedded.known,
    ...(model !== undefined && { model }),
    ...(key !== undefined && { keys: { ...embedded.known.keys, main: key } }),
    ...(eventsPerSMin !== undefined && { eventsPerSMin }),
    ...(contextWindow !== undefined && { contextWindow }),
    settlingMs,
    long,
    headers: [],
    insecure: false,
    timeoutMs,
    concurrency: 8,
    requestsMax: 100_000,
    load,
    costly: true,
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
      gate: { level: 'should', scope: 'contract', allowUndecided: true },
      keepAll: false,
      evidenceFolder: '',
    })
    return report.results
  } finally {
    await embedded.close()
  }
}
