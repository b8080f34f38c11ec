import type { SerializedResult } from '../check/result.ts'
import { type Gravity, gravities } from '../contract/marks.ts'
import { type FailedResult, failures, saidOf } from './said.ts'

/** A failure that is no consequence of another one, and what stands behind it. */
export interface Root {
  readonly id: string
  readonly level: SerializedResult['level']
  /** `format`: any server of the chat-completions format claims it. `contract`: only this contract demands it. */
  readonly scope: 'format' | 'contract'
  readonly gravity: Gravity
  /** What the failure means, in a sentence; absent in a report of a release that did not say it. */
  readonly wrong?: string
  /** What was found, in one line. */
  readonly said: string
  /** What to do about it. */
  readonly fix: string
  /** Ids of the checks that it blocked. */
  readonly blocks: readonly string[]
}

/**
 * What to mend first: the failures that count, those of the format before those of the contract alone, the gravest first, and of
 * these what must be before what should be, and what blocks most.
 */
export function rootsOf(
  results: readonly SerializedResult[],
  checks: readonly { readonly id: string; readonly fix: string }[],
): readonly Root[] {
  const fixes = new Map(checks.map(({ id, fix }) => [id, fix]))
  const roots = failures(results).map((result): Root => {
    const { id, level, basis, gravity = 'validation', verdict } = result
    const blocks = results.flatMap(({ id: other, verdict: its }) =>
      its.kind === 'blocked' && its.by === id ? [other] : [],
    )
    const scope = basis === 'contract' ? 'contract' : 'format'
    const told = {
      ...(verdict.wrong !== undefined && { wrong: verdict.wrong }),
      said: saidOf(result),
      fix: fixes.get(id) ?? '',
    }
    return { id, level, scope, gravity, ...told, blocks }
  })
  return roots.toSorted((one, other) => compare(rankOf(one), rankOf(other)))
}

function rankOf({ scope, gravity, level, blocks }: Root): readonly number[] {
  return [scope === 'format' ? 0 : 1, gravities.indexOf(gravity), level === 'must' ? 0 : 1, -blocks.length]
}

/** Lexicographic: the first place in which two ranks differ decides. */
function compare(one: readonly number[], other: readonly number[]): number {
  return one.map((value, place) => value - (other[place] ?? 0)).find((difference) => difference !== 0) ?? 0
}

/** The failures that count, in the order of their roots; those of a report that names no roots, in its own. */
export function failuresInOrder(results: readonly SerializedResult[], roots: readonly Root[]): readonly FailedResult[] {
  const place = new Map(roots.map(({ id }, index) => [id, index]))
  const placeOf = ({ id }: SerializedResult): number => place.get(id) ?? roots.length
  return failures(results).toSorted((one, other) => placeOf(one) - placeOf(other))
}

const titles = {
  format: 'Breaks the chat-completions format that it speaks',
  contract: 'Differs from contract v1 (--scope format leaves this out)',
}

/** What is hurt, in words. */
export const gravityWords: Readonly<Record<Gravity, string>> = {
  service: 'hangs or does not serve',
  data: 'wrong text, counts or money',
  security: 'security',
  framing: 'framing',
  shape: 'shape',
  validation: 'validation',
}

/** The roots under their titles; none without roots. */
export function titledRoots(
  roots: readonly Root[],
): readonly { readonly title: string; readonly roots: readonly Root[] }[] {
  return (['format', 'contract'] as const)
    .map((scope) => ({ title: titles[scope], roots: roots.filter((root) => root.scope === scope) }))
    .filter((group) => group.roots.length > 0)
}
