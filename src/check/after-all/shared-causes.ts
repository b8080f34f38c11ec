import { textAt } from '../../json.ts'
import { isSuccess, readAnswer } from '../../target/answer.ts'
import { mediaType } from '../../wire/transcript.ts'
import type { CheckId } from '../check-ids.ts'
import type { StatusClass } from '../expect.ts'
import type { CheckResult } from '../scheduler.ts'

/**
 * Of failures that have one cause, as far as their answers show, only the first counts: a `must` before a `should`, and in the
 * order of the contract. The others are blocked by it and keep what they saw.
 */
export function blockedByTheirRoots(results: readonly CheckResult[]): readonly CheckResult[] {
  const byId = new Map<string, CheckResult>(results.map((result) => [result.check.id, result]))
  /** Its own failure, or that of the check that kept it from running. */
  const failureAt = (id: string): CheckResult | undefined => {
    const result = byId.get(id)
    if (result?.verdict.kind === 'blocked') return failureAt(result.verdict.by)
    return result?.verdict.kind === 'fail' ? result : undefined
  }
  const breakdown = byId.get('service.survives-the-run')
  const unreadable = failureAt('reply.one-json-value')
  const aheadOf = (result: CheckResult): CheckResult | undefined => {
    if (breakdown !== undefined && isOfBreakdown(result, breakdown)) return breakdown
    if (unreadable !== undefined && result !== unreadable && isUnreadable(result)) return unreadable
    return result.check.sameCauseAs?.map(failureAt).find((one) => one !== undefined)
  }
  const byCause = rootsByCause(results.filter((result) => aheadOf(result) === undefined))
  const rootOf = (result: CheckResult): CheckId => {
    const ahead = aheadOf(result)
    if (ahead !== undefined) return rootOf(ahead)
    const shared = causesOf(result).map((cause) => byCause.get(cause))
    return shared.find((id) => id !== undefined) ?? result.check.id
  }
  return results.map((result) => {
    const { check, verdict } = result
    if (verdict.kind !== 'fail') return result
    const by = rootOf(result)
    if (by === check.id) return result
    const { kind: _, ...saw } = verdict
    return { ...result, verdict: { kind: 'blocked', by, saw } }
  })
}

/** Whether it takes the results of others to know if a failure counts. */
export function mayShareItsCause(result: CheckResult): boolean {
  if (result.verdict.kind !== 'fail') return false
  return (
    result.check.sameCauseAs !== undefined ||
    causesOf(result).length > 0 ||
    mayBeOfBreakdown(result) ||
    isUnreadable(result)
  )
}

/** A reply that says it is JSON and is none: whoever looks for a value in it finds none, and has learnt nothing of that value. */
function isUnreadable({ shownBy }: CheckResult): boolean {
  if (shownBy === undefined || shownBy.ending !== 'complete' || mediaType(shownBy) !== 'application/json') return false
  const answer = readAnswer(shownBy)
  return isSuccess(answer) && answer.json === undefined
}

function rootsByCause(results: readonly CheckResult[]): ReadonlyMap<string, CheckId> {
  const roots = new Map<string, CheckId>()
  for (const result of results.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    const causes = causesOf(result)
    // What stands behind one root says nothing of its other cause.
    if (!causes.some((cause) => roots.has(cause))) for (const cause of causes) roots.set(cause, result.check.id)
  }
  return roots
}

function rankOf({ check }: CheckResult): number {
  return check.level === 'must' ? 0 : 1
}

/**
 * What a failure may share with others: a server that fails at requests of one kind, with a status of its own failure and an error
 * of one form. None where the answer shows no more than this one failure.
 */
function causesOf(result: CheckResult): readonly string[] {
  // A key or a setting that is refused is refused in both modes.
  const form = formOf(result) ?? (plain.has(result.check.id) ? refusalOf(result) : undefined)
  return form === undefined ? [] : (result.due ?? []).map((one) => `${kindOfRequest(result.check.id, one)} ${form}`)
}

/** The status and the form of the error that shows a failure, where it is one of the server's own. */
function formOf({ verdict, shownBy }: CheckResult): string | undefined {
  if (verdict.kind !== 'fail' || shownBy?.head === undefined || shownBy.head.status < 500) return undefined
  const { json, status } = readAnswer(shownBy)
  const error = textAt(json, 'error') ?? ''
  // A sentence tells of the one request, as a message does; a word is a code.
  const form = [/\s/.test(error) ? '' : error, textAt(json, 'error', 'type'), textAt(json, 'error', 'code')]
  return [status, ...form.map((part) => part ?? '')].join(' ')
}

/** A server that ends up with one error for whatever it is asked: whoever sent a valid request met it, each with its own. */
function isOfBreakdown(result: CheckResult, breakdown: CheckResult): boolean {
  if (result === breakdown || breakdown.verdict.kind !== 'fail' || !mayBeOfBreakdown(result)) return false
  // It asks on a socket of its own.
  const shownBy = breakdown.exchanges.at(-1)
  const last = { ...breakdown, ...(shownBy !== undefined && { shownBy }) }
  const form = formOf(last) ?? refusalOf(last)
  return form !== undefined && (formOf(result) ?? refusalOf(result)) === form
}

function mayBeOfBreakdown(result: CheckResult): boolean {
  return result.due?.includes('2xx') === true && (formOf(result) ?? refusalOf(result)) !== undefined
}

/** A valid request that is refused, word by word: a server may blame its own breakdown on the client. */
function refusalOf({ verdict, shownBy }: CheckResult): string | undefined {
  const status = shownBy?.head?.status ?? 0
  if (verdict.kind !== 'fail' || shownBy === undefined || status < 400 || status >= 500) return undefined
  const { text } = readAnswer(shownBy)
  return text === '' ? undefined : `${status} ${text}`
}

/** A plain request, in either mode: a server that fails at both has one failure. */
const plain: ReadonlySet<string> = new Set<CheckId>(['chat.answers', 'stream.answers'])

/** Requests at fault meet one handler of errors; valid ones are alike only where they are about one thing. */
function kindOfRequest(id: CheckId, due: StatusClass): string {
  if (due !== '2xx') return 'at fault'
  return plain.has(id) ? 'valid, plain' : `valid, ${id.split('.')[0]}`
}
