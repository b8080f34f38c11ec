import { setTimeout as sleep } from 'node:timers/promises'
import { readDecimal, tokensCost, writeDecimal } from '../contract/price.ts'
import { eventually } from '../repeat/eventually.ts'
import type { Control } from '../target/control/control.ts'
import type { RosterModel } from '../target/roster.ts'
import { probeDeploy } from './deploy.ts'
import type { EngineResult } from './engine/engine.ts'
import { monotonicMs } from './engine/monotonic.ts'
import { runShards } from './engine/shards.ts'
import { type Outcome, sumOutcomes } from './figures/outcome.ts'
import type { LoadPlan } from './schedule/plan.ts'

/** Promises of the contract that a busy gateway must keep too, each checked under load. The last restarts the gateway. */
export const probeNames = ['billing', 'revocation', 'nodes', 'limits', 'deploy'] as const
export type ProbeName = (typeof probeNames)[number]

export interface ProbeResult {
  readonly probe: ProbeName
  /** `undecided` when the run showed too little to judge. */
  readonly verdict: 'pass' | 'fail' | 'undecided'
  readonly said: string
  /** What was counted, by what it is called. */
  readonly counts?: Readonly<Record<string, number>>
}

export interface ProbeOptions {
  readonly plan: LoadPlan
  readonly control: Control
  readonly model: RosterModel
  /** How long the books may take to show a request. */
  readonly settlingMs: number
  /** Starts no more requests once it aborts. */
  readonly signal: AbortSignal
}

const creditUsd = '50'
const leadMs = 300
/** A request sent this shortly after a change may have been on its way before it. */
const graceMs = 5
const pollMs = 100
const limitPerMinute = 30
const keysLimited = 4
/** A token bucket may hold a full minute's worth, and a window that ends may grant as much again. */
const limitSlack = 2.1

const probes: Readonly<Record<ProbeName, (options: ProbeOptions) => Promise<Omit<ProbeResult, 'probe'>>>> = {
  billing: probeBilling,
  revocation: probeRevocation,
  nodes: probeNodes,
  limits: probeLimits,
  deploy: probeDeploy,
}

export async function runProbe(probe: ProbeName, options: ProbeOptions): Promise<ProbeResult> {
  return { probe, ...(await probes[probe](options)) }
}

function withKey(plan: LoadPlan, key: string): LoadPlan {
  return { ...plan, headers: { ...plan.headers, Authorization: `Bearer ${key}` } }
}

/** Runs a load, and does something to the gateway when a given share of its time is over. */
async function loadWhile(
  plan: LoadPlan,
  signal: AbortSignal,
  moments: readonly (readonly [share: number, act: () => Promise<unknown>])[] = [],
): Promise<{ readonly results: readonly EngineResult[]; readonly actedAtMs: readonly number[] }> {
  const ready = Promise.withResolvers<number>()
  const failed = new AbortController()
  const running = runShards(plan, { onReady: ready.resolve, signal: AbortSignal.any([signal, failed.signal]) })
  const startAtMs = await ready.promise
  const actedAtMs: number[] = []
  try {
    for (const [share, act] of moments) {
      await sleep(Math.max(0, startAtMs + share * plan.durationMs - monotonicMs()))
      await act()
      // The change holds from its answer on.
      actedAtMs.push(monotonicMs() - startAtMs)
    }
  } catch (error) {
    failed.abort()
    await running
    throw error
  }
  return { results: (await running).results, actedAtMs }
}

function sendsOf(
  results: readonly EngineResult[],
  outcome: Outcome,
): readonly [firstMs: number, lastMs: number] | undefined {
  const found = results.flatMap(({ sends }) => (sends[outcome] === undefined ? [] : [sends[outcome]]))
  if (found.length === 0) return undefined
  return [Math.min(...found.map(([first]) => first)), Math.max(...found.map(([, last]) => last))]
}

/** The balance must move by what the key's tokens cost, and the key must count as many requests as were served. */
async function probeBilling({
  plan,
  control,
  model,
  settlingMs,
  signal,
}: ProbeOptions): Promise<Omit<ProbeResult, 'probe'>> {
  const account = await control.openAccount('assay load', creditUsd)
  const { id, key } = await control.createKey(account, { name: 'assay load' })
  const before = readDecimal((await control.account(account)).balanceUsd) ?? 0n
  const { results } = await loadWhile(withKey(plan, key), signal)
  const { ok, abortedByUs } = sumOutcomes(results.map(({ outcomes }) => outcomes))
  if (ok === 0) return { verdict: 'undecided', said: 'no request was served' }
  const look = async (): Promise<{ readonly fits: boolean; readonly said: string }> => {
    const [usage, state] = [await control.keyUsage(id), await control.account(account)]
    const moved = before - (readDecimal(state.balanceUsd) ?? 0n)
    const owed =
      tokensCost(usage.promptTokens, model.promptPrice ?? 0) +
      tokensCost(usage.completionTokens, model.completionPrice ?? 0)
    const served = usage.requests >= ok && usage.requests <= ok + abortedByUs
    const fits = moved === owed && served && readDecimal(state.heldUsd) === 0n
    return {
      fits,
      said: `${ok} complete replies${abortedByUs === 0 ? '' : ` and ${abortedByUs} that the client left`}; the key counts ${usage.requests} requests, whose tokens cost ${writeDecimal(owed)} USD; the balance moved by ${writeDecimal(moved)} USD, and ${state.heldUsd} USD is held`,
    }
  }
  const seen = await eventually({ withinMs: settlingMs, everyMs: pollMs }, look, ({ fits }) => fits)
  return { verdict: seen.fits ? 'pass' : 'fail', said: seen.said }
}

/** No request sent after the answer to a deletion may be served. */
async function probeRevocation({ plan, control, signal }: ProbeOptions): Promise<Omit<ProbeResult, 'probe'>> {
  const account = await control.openAccount('assay load', creditUsd)
  const { id, key } = await control.createKey(account, { name: 'assay load' })
  const { results, actedAtMs } = await loadWhile(withKey(plan, key), signal, [[0.5, () => control.deleteKey(id)]])
  return lateness(results, actedAtMs[0] ?? 0, 'http4xx', 'the key was deleted')
}

/** While a model has no node, its requests must be refused with 503. */
async function probeNodes({ plan, control, model, signal }: ProbeOptions): Promise<Omit<ProbeResult, 'probe'>> {
  const { results, actedAtMs } = await loadWhile(plan, signal, [[0.5, () => control.setNodes(model.id, 'down')]])
  await control.setNodes(model.id, 'up')
  return lateness(results, actedAtMs[0] ?? 0, 'http503', 'the nodes were taken down')
}

function lateness(
  results: readonly EngineResult[],
  actedAtMs: number,
  refusal: Outcome,
  what: string,
): Omit<ProbeResult, 'probe'> {
  const [served, refused] = [sendsOf(results, 'ok'), sendsOf(results, refusal)]
  if (served === undefined || served[0] > actedAtMs)
    return { verdict: 'undecided', said: `nothing was served before ${what}` }
  const lateMs = served[1] - actedAtMs
  if (refused === undefined)
    return { verdict: lateMs > graceMs ? 'fail' : 'undecided', said: `no request was refused after ${what}` }
  const first = Math.max(0, refused[0] - actedAtMs)
  return {
    verdict: lateMs > graceMs ? 'fail' : 'pass',
    said: `the first refused request was sent ${first.toFixed(1)} ms after ${what}; the last served one was sent ${lateMs > 0 ? `${lateMs.toFixed(1)} ms after` : 'before'} that`,
  }
}

/** Several keys with the same limit must each get what it grants, none at the cost of another. */
async function probeLimits({ plan, control, signal }: ProbeOptions): Promise<Omit<ProbeResult, 'probe'>> {
  const account = await control.openAccount('assay load', creditUsd)
  const keys = await Promise.all(
    Array.from({ length: keysLimited }, (_, at) =>
      control.createKey(account, { name: `assay load ${at}`, requestsPerMinute: limitPerMinute }),
    ),
  )
  const startAtMs = monotonicMs() + leadMs
  const ratePerS = (limitPerMinute * 4) / (plan.durationMs / 1000)
  const arrivals = {
    kind: 'open',
    process: 'constant',
    stages: [{ durationMs: plan.durationMs, from: ratePerS, to: ratePerS }],
    connectionsMax: 100,
  } as const
  const runs = await Promise.all(
    keys.map(({ key }) => runShards({ ...withKey(plan, key), arrivals, shards: 1 }, { startAtMs, signal })),
  )
  const served = runs.map(({ results }) => sumOutcomes(results.map(({ outcomes }) => outcomes)))
  const counts = served.map(({ ok }) => ok)
  const refused = served.reduce((sum, { http429 }) => sum + http429, 0)
  const most = Math.ceil(limitPerMinute * limitSlack + (limitPerMinute * plan.durationMs) / 60_000)
  const said = `with ${limitPerMinute} requests a minute each, four keys were served ${counts.join(', ')} times and refused with 429 ${refused} times`
  if (refused === 0) return { verdict: 'fail', said }
  // A key that gets less than half of what another gets is paying for it.
  const isFair = Math.min(...counts) * 2 >= Math.max(...counts)
  return { verdict: isFair && Math.max(...counts) <= most && Math.min(...counts) > 0 ? 'pass' : 'fail', said }
}
