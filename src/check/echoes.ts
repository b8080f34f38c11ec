import { textAt } from '../json.ts'
import { readAnswer } from '../target/answer.ts'
import type { CheckId } from './check-ids.ts'
import type { CheckResult } from './run.ts'

/**
 * Of failures that have one cause, as far as their answers show, only the first counts: a `must` before a `should`, and in the
 * order of the contract. The others are blocked by it and keep what they saw.
 */
export function behindTheirRoots(results: readonly CheckResult[]): readonly CheckResult[] {
  const roots = new Map<string, CheckResult>()
  for (const result of [...results].sort((one, other) => rankOf(one) - rankOf(other))) {
    const cause = causeOf(result)
    if (cause !== undefined && !roots.has(cause)) roots.set(cause, result)
  }
  return results.map((result) => {
    const { verdict } = result
    const root = roots.get(causeOf(result) ?? '')
    if (verdict.kind !== 'fail' || root === undefined || root === result) return result
    const { kind: _, ...saw } = verdict
    return { ...result, verdict: { kind: 'blocked', by: root.check.id, saw } }
  })
}

function rankOf({ check }: CheckResult): number {
  return check.level === 'must' ? 0 : 1
}

/**
 * What a failure shares with others: a server that fails at requests of one kind, with a status of its own failure and an error of
 * one form. Undefined where the answer shows no more than this one failure.
 */
export function causeOf({ check, verdict, shownBy }: CheckResult): string | undefined {
  if (verdict.kind !== 'fail' || shownBy?.head === undefined || shownBy.head.status < 500) return undefined
  const kind = kindOfRequest(check.id, verdict.expected)
  if (kind === undefined) return undefined
  const { json, status } = readAnswer(shownBy)
  const form = [textAt(json, 'error'), textAt(json, 'error', 'type'), textAt(json, 'error', 'code')]
  return [kind, status, ...form.map((one) => one ?? '')].join(' ')
}

/** Requests at fault meet one handler of errors; valid ones are alike only where they are about one thing. */
function kindOfRequest(id: CheckId, expected: string): string | undefined {
  if (expected.includes('4xx')) return 'at fault'
  return expected.includes('2xx') && !expected.includes('no 2xx') ? `valid, ${id.split('.')[0]}` : undefined
}
