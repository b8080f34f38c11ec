import { setTimeout as sleep } from 'node:timers/promises'
import { createSemaphore, type Semaphore } from '../semaphore.ts'
import type { Prepared } from '../target/prepare.ts'
import type { Used } from '../target/request.ts'
import type { Target } from '../target/target.ts'
import { forecasting } from '../target/turns/forecast.ts'
import { countingUse } from '../target/turns/own-use.ts'
import { Unsettled } from '../target/unsettled.ts'
import { converse } from '../wire/raw-client.ts'
import type { Redactor } from '../wire/redact.ts'
import type { Exchange } from '../wire/transcript.ts'
import type { Check } from './check.ts'
import type { CheckId } from './check-ids.ts'
import { costOf } from './cost.ts'
import { Mismatch, meaningOf, type StatusClass, show } from './expect.ts'
import { createJournal } from './kept/journal.ts'
import { createSamples, type DrawnSamples } from './kept/samples.ts'
import { lackOf, obstacleAmong, unfinished } from './obstacles.ts'
import { untilServed } from './outlast.ts'
import { type Phase, phases, phasesInTurn, phasesMerged, phasesOfRun } from './phases.ts'
import { Blocked, createSession, NotApplicable, randomNonce, type Session } from './session.ts'
import type { Shared } from './shared.ts'
import { PropertyMismatch, type Randomness } from './values/property.ts'
import type { Verdict } from './verdict.ts'

export interface CheckResult {
  readonly check: Check
  readonly verdict: Verdict
  /** What the check exchanged; the exchange that shows a failure comes last. */
  readonly exchanges: readonly Exchange[]
  /** The exchange that shows the failure. */
  readonly shownBy?: Exchange
  /** The classes of status that were due there, where the failure is about a status. */
  readonly due?: readonly StatusClass[]
  readonly durationMs: number
  readonly used: Used
  /** What the check changed on the target and could not undo. */
  readonly left?: readonly string[]
  /** How many requests the target had served at the first refusal, where it refused whatever the check asked. */
  readonly refusedSince?: number
  /** The check did not run, because of one that it depends on. */
  readonly skipped?: true
}

export interface RunOptions {
  readonly target: Target
  readonly prepared: Prepared
  readonly redactor: Redactor
  readonly randomness: Randomness
  /** Checks that the budget has no room for, with what to say of each. */
  readonly tooDear?: ReadonlyMap<CheckId, Verdict>
  /** Whether every exchange is kept, or only those of failures. */
  readonly keepAll: boolean
  /** Whether checks are asked for which the time left is not likely to be enough. */
  readonly despiteForecast?: boolean
}

/** A lazy, memoised scheduler: it needs no test runner, and any test runner can drive it. */
export interface Run {
  /** The result of one check; its dependencies run first, each check once. */
  resultOf(id: CheckId): Promise<CheckResult>
  /** The same run once there is room for more checks: it asks these, and what is known of the others stays as it is. */
  goOn(more: readonly Check[], terms?: Pick<RunOptions, 'despiteForecast'>): Run
}

/** What a run hands to the one that goes on from it. */
interface Begun {
  readonly results: ReadonlyMap<CheckId, Promise<CheckResult>>
  readonly shared: Shared
  readonly samples: DrawnSamples
}

/** More checks than requests in flight, so that a waiting check does not leave a connection idle. */
const slotsPerRequest = 2

/** Of a target whose time is short all checks ask side by side, and those that take the least go first. */
function slotsFor({ pacer }: Target): Semaphore {
  return createSemaphore(pacer.isLeastFirst ? Number.POSITIVE_INFINITY : pacer.placesMost * slotsPerRequest)
}

/**
 * Plans the selected checks with all that they depend on. Phases follow one another; a waiting check holds no slot.
 */
export function createRun(all: readonly Check[], selected: readonly Check[], options: RunOptions, begun?: Begun): Run {
  const byId = new Map<string, Check>(all.map((check) => [check.id, check]))
  const planned = withDependencies(selected, byId)
  const results = new Map<CheckId, Promise<CheckResult>>(begun?.results)
  const slots = slotsFor(options.target)
  const phaseOf = phasesFor(options.target)
  const exclusively = createSemaphore(1)
  let over: string | undefined
  void options.target.over.then((reason) => {
    over = reason
  })
  // Early, so that the audits have something to look at however soon the run ends.
  const drawSamples = async (): Promise<void> => {
    if (planned.some((check) => phaseOf(check) === 'audit')) await samples.draw()
  }
  // By then nodes may have failed on purpose, and a gateway rests them.
  const untilRested = async (): Promise<void> => {
    if (planned.some((check) => phaseOf(check) === 'exclusive' && asksNodes(check)))
      await untilServed(options.target, options.prepared)
  }
  const after = { first: drawSamples, exclusive: untilRested }
  const order = phasesOfRun(planned, { phaseOf, resultOf, over: options.target.over, after })
  const { shared, samples } = begun ?? shareAmong(options, () => order.reach('audit'))

  function resultOf(id: CheckId): Promise<CheckResult> {
    const check = byId.get(id)
    if (check === undefined) throw new Error(`there is no check ${id}`)
    let result = results.get(id)
    if (result === undefined) {
      result = runOne(check)
      results.set(id, result)
    }
    return result
  }

  async function runOne(check: Check): Promise<CheckResult> {
    const lack = lackOf(check, options.target.config, options.tooDear)
    if (lack !== undefined) return skipped(check, lack)
    const obstacle = await obstacleAmong(check.dependsOn, resultOf)
    if (obstacle !== undefined) return skipped(check, obstacle)
    const phase = phaseOf(check)
    await order.reach(phase)
    // In this order: a check that waits for another one holds no slot.
    const makeRoom = phasesInTurn.has(phase) ? await exclusively() : () => {}
    const leave = await slots()
    order.begin(check.id)
    try {
      if (over !== undefined) return skipped(check, unfinished(over))
      return await perform(check, shared, options.despiteForecast)
    } finally {
      leave()
      makeRoom()
    }
  }

  return { resultOf, goOn: (more, terms) => goOn(all, more, { ...options, ...terms }, { results, shared, samples }) }
}

function goOn(all: readonly Check[], more: readonly Check[], options: RunOptions, { results, ...begun }: Begun): Run {
  const isAsked = (id: CheckId): boolean => more.some((check) => check.id === id)
  const tooDear = new Map([...(options.tooDear ?? [])].filter(([id]) => !isAsked(id)))
  const known = new Map([...results].filter(([id]) => !isAsked(id)))
  return createRun(all, more, { ...options, tooDear }, { results: known, ...begun })
}

function shareAmong(
  { target, prepared, redactor, randomness, keepAll }: RunOptions,
  settled: () => Promise<unknown>,
): { readonly shared: Shared; readonly samples: DrawnSamples } {
  const journal = createJournal()
  // A quick run looks at what the checks that ask each model get of the others.
  const others = randomness.isQuick === true ? [] : prepared.roster.map(({ id }) => id)
  const models = [prepared.model, ...others].filter((id) => id !== undefined)
  // The samples are asked through a session of their own: a refused sample is not a failure of the check that drew it.
  const asker = {
    reply: (body: object) => sampler.probe({ ...body }),
    refusal: (body: object | string) => sampler.probe(typeof body === 'string' ? body : { ...body }),
    stream: (body: object) => sampler.probeStream({ ...body }),
  }
  const samples = createSamples(journal, asker, { models: [...new Set(models)], also: randomness.sample }, settled)
  const shared: Shared = {
    target,
    prepared,
    redactor,
    journal,
    samples,
    once: new Map(),
    sampler: () => sampler,
    randomness,
    keepAll,
    confirmedIncomplete: new WeakSet(),
    steadiness: { passed: 0, remainingMs: target.remainingMs },
    nonce: randomNonce,
    converse,
  }
  const sampler = createSession(shared).context
  return { shared, samples }
}

/** How long a check may take to undo what it changed, once nothing else is waited for. */
const undoMsMax = 1000
const undoneTooLate = ['what it did not undo in time']

async function perform(check: Check, shared: Shared, despiteForecast = false): Promise<CheckResult> {
  const { target, used, refusedSince } = countingUse(shared.target)
  // A property tries as many values as there is time for.
  const { requests } = costOf(check, { ...shared.randomness, runs: 1 })
  const own = despiteForecast ? target : forecasting(target, requests, shared.prepared)
  const session = createSession({ ...shared, target: own }, check.id)
  const start = performance.now()
  // What a check waits for at the end of a run may take long: it is left, and what it changed is undone.
  const { verdict, mismatch }: Judged = await Promise.race([
    verdictIn(check, session),
    target.over.then((reason) => ({ verdict: unfinished(reason) })),
  ])
  const left = await Promise.race([session.undo(), target.over.then(() => sleep(undoMsMax, undoneTooLate))])
  const { exchange: shown, due } = mismatch?.saw ?? {}
  const since = refusedSince()
  const isKept = shared.keepAll || verdict.kind === 'fail' || verdict.kind === 'error'
  return {
    check,
    verdict,
    exchanges: isKept ? session.exchanges.list(shown) : [],
    ...(shown !== undefined && { shownBy: shown }),
    ...(due !== undefined && { due }),
    ...(since !== undefined && { refusedSince: since }),
    durationMs: performance.now() - start,
    used,
    ...(left.length > 0 && { left }),
  }
}

interface Judged {
  readonly verdict: Verdict
  readonly mismatch?: Mismatch
}

/** The verdict of one check in a session, whatever the others did. */
export async function verdictIn(check: Check, session: Session): Promise<Judged> {
  try {
    const value = await check.run(session.context)
    if (check.level === 'open') return { verdict: { kind: 'observed', value: value ?? null } }
    if (session.proofs === 0)
      return { verdict: { kind: 'error', message: 'the check ended without looking at anything' } }
    return { verdict: { kind: 'pass', proofs: session.proofs, proved: [...session.proved] } }
  } catch (error) {
    if (error instanceof Mismatch) return { verdict: failed(check, error), mismatch: error }
    if (error instanceof Unsettled)
      return { verdict: { kind: 'untestable', cause: error.causedBy, reason: error.message } }
    if (error instanceof Blocked) return { verdict: { kind: 'blocked', by: error.by } }
    if (error instanceof NotApplicable) return { verdict: { kind: 'not-applicable', reason: error.message } }
    return {
      verdict: { kind: 'error', message: error instanceof Error ? (error.stack ?? error.message) : String(error) },
    }
  }
}

function failed(check: Check, mismatch: Mismatch): Verdict {
  const { what, expected, actual } = mismatch.saw
  if (check.level === 'open') return { kind: 'observed', value: `${what}: ${actual}` }
  const counterexample = mismatch instanceof PropertyMismatch ? { counterexample: mismatch.counterexample } : {}
  return { kind: 'fail', ...meaningOf(check, mismatch), what, expected, actual, ...counterexample }
}

function asksNodes({ needs = [] }: Check): boolean {
  return needs.includes('nodes') || needs.includes('two-nodes')
}

function phaseOf({ phase = 'main' }: Check): Phase {
  return phase
}

/** Where what takes the least goes first, several phases are one. */
function phasesFor({ pacer }: Target): (check: Check) => Phase {
  const merged = pacer.isLeastFirst ? phasesMerged[pacer.isOneAtATime ? 'inTurn' : 'sideBySide'] : new Set()
  return (check) => (merged.has(phaseOf(check)) ? 'main' : phaseOf(check))
}

function skipped(check: Check, verdict: Verdict): CheckResult {
  return { check, verdict, exchanges: [], durationMs: 0, used: { requests: 0, tokens: 0 }, skipped: true }
}

function withDependencies(selected: readonly Check[], byId: ReadonlyMap<string, Check>): readonly Check[] {
  const planned = new Set<Check>()
  const add = (check: Check): void => {
    if (planned.has(check)) return
    planned.add(check)
    for (const id of check.dependsOn ?? []) {
      const needed = byId.get(id)
      if (needed === undefined) throw new Error(`${check.id} depends on ${show(id)}, which is not a check`)
      // The two would wait for each other forever.
      if (phases.indexOf(phaseOf(needed)) > phases.indexOf(phaseOf(check)))
        throw new Error(`${check.id} depends on ${show(id)}, which runs in a later phase`)
      add(needed)
    }
  }
  for (const check of selected) add(check)
  return [...planned]
}
