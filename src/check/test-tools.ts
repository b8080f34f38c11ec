import type { StatementId } from '../contract/statement-ids.ts'
import type { TargetConfig } from '../target/config.ts'
import { createTarget } from '../target/target.ts'
import { createRedactor } from '../wire/redact.ts'
import type { clause } from './check.ts'
import type { CheckId } from './check-ids.ts'
import { createRun } from './scheduler.ts'

/** An id for a check that only a test has. */
export const idOf = (text: string): CheckId => text as CheckId

/** The fields that every observing check needs, for tests that do not care about them. */
export const openFields = { states: ['x' as StatementId], why: 'Because.', fix: 'Mend it.' } as const

/** The fields that every judging check needs. */
export const fields = { ...openFields, wrong: 'It is wrong.' } as const

const config: TargetConfig = {
  baseUrl: 'http://127.0.0.1:1',
  apiPath: '/api/v1',
  keys: {},
  headers: [],
  insecure: false,
  timeoutMs: 100,
  concurrency: 1,
  requestsMax: 10,
  durationMsMax: 1000,
  load: false,
  settlingMs: 300,
  long: false,
  runId: 'test',
  version: '0',
}

/** Runs checks against a target that nobody asks; resolves to verdicts by id. */
export function runOf(checks: ReturnType<typeof clause>, said?: 'oneAtATime' | 'leastFirst', startedAtMs?: number) {
  const target = createTarget(config, startedAtMs ?? performance.now())
  if (said !== undefined) target.pacer[said]()
  const prepared = {
    roster: [],
    works: { json: true, stream: true },
    silenceMsMax: 100,
    msPerToken: 0,
    plainMs: 0,
    modeMs: { json: 0, stream: 0 },
  }
  const run = createRun(checks, checks, {
    target,
    prepared,
    redactor: createRedactor(),
    randomness: { seed: 1, runs: 1 },
    keepAll: true,
  })
  return Object.assign(async (id: string) => (await run.resultOf(idOf(id))).verdict, {
    exchangesOf: async (id: string) => (await run.resultOf(idOf(id))).exchanges,
  })
}
