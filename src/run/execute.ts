import { checks } from '../../suites/index.ts'
import { mayBeHollow, withoutHollowPasses } from '../check/after-all/hollow-passes.ts'
import { blockedByTheirRoots, mayShareItsCause } from '../check/after-all/shared-causes.ts'
import type { Check } from '../check/check.ts'
import type { CheckId } from '../check/check-ids.ts'
import { costOf } from '../check/cost.ts'
import { type SerializedResult, serializeResult } from '../check/result.ts'
import { type CheckResult, createRun, type Run } from '../check/scheduler.ts'
import type { Randomness } from '../check/values/property.ts'
import { optional } from '../options/target.ts'
import { secretsOf, type TargetConfig } from '../target/config.ts'
import { type Prepared, prepare } from '../target/prepare.ts'
import { watchTarget } from '../target/recovery/watch-target.ts'
import type { Spending } from '../target/request.ts'
import { createTarget } from '../target/target.ts'
import { chooseOrder } from '../target/turns/choose-order.ts'
import { createRedactor } from '../wire/redact.ts'
import { type BudgetPlan, planWithin } from './budget/plan.ts'
import { askInRounds } from './budget/rounds.ts'
import { unlessInterrupted } from './interruption.ts'

/** Which checks to run against which target. Plain data: it crosses threads. */
export interface Orders {
  readonly config: TargetConfig
  readonly selected: readonly CheckId[]
  readonly randomness: Randomness
  readonly keepAll: boolean
  /** Milliseconds of the run's time that were used before. */
  readonly usedMs?: number
}

/** Told what happens as it happens. */
export interface Watcher {
  /** After the first contact, before the first check. */
  prepared?(prepared: Prepared, most: BudgetPlan['most']): void
  /** As the verdict of each check is known, in no fixed order. */
  result?(result: SerializedResult): void
  /** What is open on the target and would stay if the run ended now, whenever that changes. */
  open?(all: readonly string[]): void
}

export interface Outcome {
  readonly prepared: Prepared
  /** In the order of the contract. */
  readonly results: readonly SerializedResult[]
  readonly spending: Spending
  /** The options that make room for every selected check; absent where there was room. */
  readonly roomForAll?: string
}

/**
 * Runs checks against a target, in this thread. Throws `HarnessError` if nothing can be judged. Once the signal aborts, no more requests are sent, and checks not decided by then stay undecided.
 */
export async function execute(orders: Orders, watcher: Watcher = {}, signal?: AbortSignal): Promise<Outcome> {
  const { config, selected: ids, randomness, keepAll, usedMs = 0 } = orders
  const selected = checks.filter(({ id }) => ids.includes(id))
  const redactor = createRedactor(secretsOf(config))
  const target = createTarget(config, performance.now() - usedMs)
  if (signal?.aborted === true) target.stop()
  signal?.addEventListener('abort', () => target.stop(), { once: true })
  target.open.watch((all) => watcher.open?.(all))
  try {
    const met = await unlessInterrupted(prepare(target), signal)
    target.budget.learnPrices(met.roster, met.model)
    const plan = planWithin(config, met, randomness, checks, selected)
    const { tooDear, roomForAll } = plan
    watcher.prepared?.(met, plan.most)
    target.patience.adapt(met)
    watchTarget(target, met)
    const prepared = await chooseOrder(target, met)
    const first = createRun(checks, selected, { target, prepared, redactor, randomness, keepAll, tooDear })
    const tell = (result: CheckResult): SerializedResult => {
      const told = serializeResult(result, redactor, keepAll)
      watcher.result?.(told)
      return told
    }
    /** The root of a selected check may not be selected itself, and is then not among the results. */
    const namingRoot = async (result: CheckResult, run: Run): Promise<CheckResult> => {
      const { verdict } = result
      const root = checks.find(({ id }) => verdict.kind === 'blocked' && id === verdict.by)
      if (verdict.kind !== 'blocked' || root === undefined || selected.includes(root)) return result
      const seen = (await run.resultOf(root.id)).verdict
      if (seen.kind !== 'fail') return result
      const { kind: _, ...failure } = seen
      return { ...result, verdict: { ...verdict, root: failure } }
    }
    // What asks for the least begins first, too.
    if (target.pacer.isLeastFirst) for (const { id } of leastFirst(selected, randomness)) void first.resultOf(id)
    const told = new Map<CheckId, SerializedResult>()
    const made = new Map<CheckId, CheckResult>()
    await askInRounds({ first, selected, plan, target }, async (seen, run) => {
      const result = await namingRoot(seen, run)
      made.set(result.check.id, result)
      // Whether a failure that others may share counts is known when all are done, and so is what a refusal proves.
      if (!mayShareItsCause(result) && !mayBeHollow(result, target.served())) told.set(result.check.id, tell(result))
    })
    const inOrder = selected.flatMap(({ id }) => made.get(id) ?? [])
    const results = blockedByTheirRoots(withoutHollowPasses(inOrder, target.served())).map(
      (result) => told.get(result.check.id) ?? tell(result),
    )
    return { prepared, results, spending: target.spending, ...optional({ roomForAll }) }
  } finally {
    await target.close()
  }
}

function leastFirst(selected: readonly Check[], terms: Randomness): readonly Check[] {
  return selected.toSorted((one, other) => costOf(one, terms).tokens - costOf(other, terms).tokens)
}
