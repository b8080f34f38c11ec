import type { SerializedResult } from '../../check/result.ts'
import type { Difference } from '../report.ts'

const telling = new Set(['pass', 'fail', 'observed', 'not-applicable'])

/**
 * The checks on which two gateways differ, in the order of the first one's results. A check that was not decided on
 * both is no difference.
 */
export function differencesOf(
  here: readonly SerializedResult[],
  there: readonly SerializedResult[],
): readonly Difference[] {
  const others = new Map(there.map((result) => [result.id, result]))
  return here.flatMap((result): readonly Difference[] => {
    const other = others.get(result.id)
    if (other === undefined || !telling.has(result.verdict.kind) || !telling.has(other.verdict.kind)) return []
    const [one, two] = [shown(result), shown(other)]
    if (one === two) return []
    const departs = result.verdict.kind === 'fail' ? 'here' : other.verdict.kind === 'fail' ? 'there' : 'neither'
    return [{ id: result.id, level: result.level, here: one, there: two, departs }]
  })
}

/** What is compared: the kind of the verdict, and for an observation its value. */
function shown({ verdict }: SerializedResult): string {
  return verdict.kind === 'observed' ? (JSON.stringify(verdict.value) ?? 'nothing') : verdict.kind
}
