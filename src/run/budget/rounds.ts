import type { Check } from '../../check/check.ts'
import type { CheckResult, Run } from '../../check/scheduler.ts'
import type { Target } from '../../target/target.ts'
import type { BudgetPlan } from './plan.ts'

interface Rounds {
  readonly first: Run
  readonly selected: readonly Check[]
  readonly plan: Pick<BudgetPlan, 'tooDear' | 'moreFor'>
  readonly target: Pick<Target, 'remainingMs' | 'spending'>
}

/** In less time than this, little can be decided that had to be put off. */
const lastRoundMs = 5000

/**
 * Asks the checks for which the budget has room, and then those for which what they left of it has room, until nothing more fits or less
 * than half the time is left. What was put off because the rest of the time seemed too short for it has that rest at the end. Each result
 * is told once, as it is known, with the run that it is from.
 */
export async function askInRounds(
  { first, selected, plan, target }: Rounds,
  tell: (result: CheckResult, run: Run) => Promise<void>,
): Promise<void> {
  const startMs = performance.now()
  const open = new Set(selected)
  const putOff = new Set<Check>()
  const ask = async (check: Check, run: Run): Promise<void> => {
    const result = await run.resultOf(check.id)
    if (wasCut(result)) {
      // Whoever had no room at first, and was cut, is no worse off than without the attempt.
      if (run === first) putOff.add(check)
      return
    }
    open.delete(check)
    await tell(result, run)
  }
  let run = first
  let due: readonly Check[] = selected.filter(({ id }) => !plan.tooDear.has(id))
  while (due.length > 0) {
    const round = run
    await Promise.all(due.map((check) => ask(check, round)))
    due = target.remainingMs() > performance.now() - startMs ? plan.moreFor(target.spending) : []
    run = run.goOn(due)
  }
  if (putOff.size > 0 && target.remainingMs() >= lastRoundMs) {
    const last = run.goOn([...putOff], { despiteForecast: true })
    await Promise.all([...putOff].map((check) => ask(check, last)))
  }
  await Promise.all([...open].map(async (check) => tell(await first.resultOf(check.id), first)))
}

function wasCut({ verdict }: CheckResult): boolean {
  return verdict.kind === 'untestable' && verdict.cause === 'budget'
}
