import type { CheckId } from '../check-ids.ts'
import type { CheckResult } from '../scheduler.ts'

/** That a target refuses a mistake shows nothing where it refuses whatever it is asked. */
const reason =
  'the target refused every request from before this check to the end of the run, so its refusals prove nothing'

const afterAll: CheckId = 'service.survives-the-run'

/** Leaves undecided what passed on refusals alone after the target had broken down: it was served no more from then on. */
export function withoutHollowPasses(results: readonly CheckResult[], servedInAll: number): readonly CheckResult[] {
  const brokeDown = results.some(({ check, verdict }) => check.id === afterAll && verdict.kind === 'fail')
  if (!brokeDown) return results
  return results.map((result) =>
    mayBeHollow(result, servedInAll) ? { ...result, verdict: { kind: 'untestable', cause: 'target', reason } } : result,
  )
}

/** Whether a pass rests on refusals alone, and nothing has been served since the check began. */
export function mayBeHollow({ verdict, refusedSince }: CheckResult, servedSoFar: number): boolean {
  return verdict.kind === 'pass' && refusedSince === servedSoFar
}
