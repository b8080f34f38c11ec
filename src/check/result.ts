import type { Basis, Gravity } from '../contract/marks.ts'
import type { KnownFailure } from '../run/known-failures.ts'
import type { Used } from '../target/request.ts'
import { type RecordedExchange, recordExchange } from '../wire/recorded-exchange.ts'
import type { Redactor } from '../wire/redact.ts'
import type { Check } from './check.ts'
import type { CheckResult } from './scheduler.ts'
import type { Verdict } from './verdict.ts'

/** One check's result as plain data, free of secrets. */
export interface SerializedResult {
  readonly id: string
  readonly clause: string
  readonly states: readonly string[]
  readonly level: Check['level']
  readonly since: string
  /** What its main statement rests on; absent where nothing is judged. */
  readonly basis?: Basis
  /** What is hurt where it fails; `service` for any check that failed because an answer never came. */
  readonly gravity?: Gravity
  readonly needs: readonly string[]
  readonly verdict: Verdict
  readonly exchanges: readonly RecordedExchange[]
  readonly durationMs: number
  /** Absent in what a file of an earlier release holds. */
  readonly used?: Used
  /** What the check changed on the target and could not undo. */
  readonly left?: readonly string[]
  /** Why its failure does not fail the run. */
  readonly known?: KnownFailure
}

export function serializeResult(
  { check, verdict, exchanges, shownBy, durationMs, used, left }: CheckResult,
  redactor: Redactor,
  keepAll: boolean,
): SerializedResult {
  const failed = verdict.kind === 'fail' || verdict.kind === 'error'
  const kept = keepAll || failed ? exchanges : []
  const { id, clause, states, level, since, basis, needs = [] } = check
  const gravity = failed && shownBy !== undefined && shownBy.head === undefined ? 'service' : check.gravity
  return {
    id,
    clause,
    states,
    level,
    since,
    ...(basis !== undefined && { basis }),
    ...(gravity !== undefined && { gravity }),
    needs,
    // Whatever a verdict quotes came from the wire: it may hold a secret.
    verdict: JSON.parse(redactor.text(JSON.stringify(verdict))) as Verdict,
    exchanges: kept.map((exchange) => recordExchange(exchange, redactor)),
    durationMs: Math.round(durationMs),
    used,
    ...(left !== undefined && { left: left.map((one) => redactor.text(one)) }),
  }
}
