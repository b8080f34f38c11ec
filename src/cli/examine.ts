import type { Wrap } from '../../reference-server/gateway/seams.ts'
import { startGateway } from '../../reference-server/main.ts'
import { checks } from '../../suites/index.ts'
import type { Check } from '../check/check.ts'
import { type Judgement, judge } from '../check/judge.ts'
import { version } from '../fixtures.ts'
import type { TargetConfig } from '../target/config.ts'

export interface ExamineOptions {
  readonly wraps: readonly Wrap[]
  readonly seed: number
  /** Most runs of a property. */
  readonly runs: number
  /** All checks when absent. */
  readonly selected?: readonly Check[]
  /** Silence after which a faulty gateway is given up. */
  readonly timeoutMs?: number
  /** How long its books may take to show a request. */
  readonly settlingMs?: number
  /** Longest duration of the run. */
  readonly durationMsMax?: number
}

/** Starts a reference gateway with wrappers around its seams, holds it against the checks, and stops it. */
export async function examine({
  wraps,
  seed,
  runs,
  selected = checks,
  timeoutMs = 700,
  settlingMs = 250,
  durationMsMax = 60_000,
}: ExamineOptions): Promise<Judgement> {
  const gateway = await startGateway({ demo: true, seed: 1, wraps, control: {} })
  const { apiKey, secondKey, revokedKey, unfundedKey, limitedKey, unavailableModel } = gateway.demo ?? {}
  const keys = { main: apiKey, second: secondKey, revoked: revokedKey, unfunded: unfundedKey, limited: limitedKey }
  const config: TargetConfig = {
    baseUrl: new URL(gateway.baseUrl).origin,
    apiPath: '/api/v1',
    keys: Object.fromEntries(Object.entries(keys).filter(([, key]) => key !== undefined)),
    ...(unavailableModel === undefined ? {} : { unavailableModel }),
    ...(gateway.control === undefined ? {} : { control: gateway.control }),
    settlingMs,
    headers: [],
    insecure: false,
    timeoutMs,
    concurrency: 8,
    requestsMax: 100_000,
    load: true,
    durationMsMax,
    runId: 'examine',
    version,
  }
  try {
    return await judge({ config, checks, selected, randomness: { seed, runs } })
  } finally {
    await gateway.close()
  }
}
