import type { LoadResult } from '../../load/figures/result.ts'
import { holds, type Objective } from '../../load/schedule/objective.ts'
import { ms } from './milliseconds.ts'

type Judged = Pick<LoadResult['slo'][number], 'expression' | 'value'>

/** What an objective is held against, as figures are written elsewhere; undefined where nothing was measured. */
export function objectiveValue({ expression, value }: Judged, objectives: readonly Objective[]): string | undefined {
  if (value === null) return undefined
  const objective = objectives.find((one) => one.expression === expression)
  if (objective === undefined) return String(value)
  const rounded = objective.subject.kind === 'metric' ? ms(value) : value.toFixed(2)
  // Rounded to the other side of the bound, it would contradict the verdict.
  const text = holds(objective, Number(rounded)) === holds(objective, value) ? rounded : String(value)
  return `${text}${unitOf(objective)}`
}

function unitOf({ subject }: Objective): string {
  if (subject.kind === 'metric') return ' ms'
  return subject.figure.endsWith('PerS') ? '/s' : ' %'
}
