import { listAt, textAt } from '../../json.ts'

/** How one check fared in two runs. */
export interface ComparedCheck {
  readonly id: string
  readonly level: string
  readonly before: string
  readonly after: string
  readonly kind: 'regression' | 'mended' | 'changed' | 'observed-otherwise'
  /** What was observed, if that is what changed. */
  readonly values?: readonly [before: string, after: string]
}

const decided = new Set(['pass', 'fail'])

/** What differs between two conformance reports, in the order of the second. Checks that are only in one of them are left out. */
export function compareVerdicts(before: unknown, after: unknown): readonly ComparedCheck[] {
  const old = new Map(listAt(before, 'results').map((result) => [textAt(result, 'id') ?? '', result]))
  return listAt(after, 'results').flatMap((result): readonly ComparedCheck[] => {
    const id = textAt(result, 'id') ?? ''
    const known = old.get(id)
    if (known === undefined) return []
    const [was, is] = [textAt(known, 'verdict') ?? '', textAt(result, 'verdict') ?? '']
    const level = textAt(result, 'level') ?? ''
    if (was === 'observed' && is === 'observed') {
      const values = [JSON.stringify(observedIn(known)), JSON.stringify(observedIn(result))] as const
      return values[0] === values[1] ? [] : [{ id, level, before: was, after: is, kind: 'observed-otherwise', values }]
    }
    if (was === is) return []
    const kind =
      is === 'fail' && decided.has(was) ? 'regression' : was === 'fail' && is === 'pass' ? 'mended' : 'changed'
    return [{ id, level, before: was, after: is, kind }]
  })
}

function observedIn(result: unknown): unknown {
  return typeof result === 'object' && result !== null && 'value' in result ? result.value : undefined
}

/** Whether a check of this level gates at the level of the report. */
export function gates(report: unknown, level: string): boolean {
  const gate = textAt(report, 'gate', 'level') ?? 'must'
  return level === 'must' || (level === 'should' && gate === 'should')
}
