import { type Runner, type SweepPoint, sweepLoad } from './experiments.ts'
import { enoughFor, isPercentile } from './figures/histogram.ts'
import { type LoadResult, wasInterrupted } from './figures/result.ts'
import { loadWords } from './schedule/load-words.ts'
import { holds } from './schedule/objective.ts'
import type { LoadPlan } from './schedule/plan.ts'

export interface Knee {
  /** The highest load that met every objective each time it was tried; null if there is none, or none could be found. */
  readonly value: number | null
  /** Why no load could be named although some may meet the objectives, and what to pass. */
  readonly undecided?: string
  readonly points: readonly SweepPoint[]
}

const climbFactor = 2
const kneeMax = 100_000
const edgeRepeats = 3
/** How close the two sides of the knee must come, as a share. */
const edgeShare = 0.1
/** How many times as long as it was told to a load may last until enough requests were measured. */
const stretchMax = 10
/** How much longer than what just did not suffice a load should be asked to last. */
const margin = 1.2

type Outcome = 'met' | 'missed' | { readonly undecided: string }

/**
 * Climbs until an objective is missed, then bisects, then repeats at the edge: a load that fails one time in three is too
 * high. A load with too few requests to judge by is tried again for longer.
 */
export async function findKnee(
  plan: LoadPlan,
  first: number,
  run: Runner,
  onPoint: (point: SweepPoint) => void,
): Promise<Knee> {
  const points: SweepPoint[] = []
  const stretches = new Map<number, number>()
  let undecided: string | undefined
  const once = async (value: number, stretch: number): Promise<SweepPoint> => {
    const longer = { ...plan, durationMs: plan.durationMs * stretch, seed: plan.seed + points.length }
    const [point] = await sweepLoad(longer, [value], run, onPoint)
    if (point === undefined) throw new Error('no load was tried')
    points.push(point)
    return point
  }
  /** Whether a load meets the objectives; not, once one could not be judged. */
  const meetsAt = async (value: number): Promise<boolean> => {
    if (undecided !== undefined) return false
    let stretch = stretches.get(value) ?? 1
    let { result } = await once(value, stretch)
    while (stretch < stretchMax && !wasInterrupted(result) && stretchFor(plan, result) > 1) {
      stretch = Math.min(stretchMax, stretch * Math.max(2, stretchFor(plan, result)))
      ;({ result } = await once(value, stretch))
    }
    stretches.set(value, stretch)
    const outcome = outcomeOf(plan, value, result)
    if (typeof outcome === 'object') undecided = outcome.undecided
    return outcome === 'met'
  }
  const value = await searchFrom(first, plan.arrivals.kind === 'closed', meetsAt)
  return undecided === undefined ? { value, points } : { value: null, undecided, points }
}

async function searchFrom(
  first: number,
  isWhole: boolean,
  meetsAt: (value: number) => Promise<boolean>,
): Promise<number | null> {
  let good = 0
  let bad = Number.POSITIVE_INFINITY
  for (let value = first; value <= kneeMax; value *= climbFactor) {
    if (!(await meetsAt(value))) {
      bad = value
      break
    }
    good = value
  }
  while (good > 0 && Number.isFinite(bad) && bad - good > Math.max(isWhole ? 1 : 0, good * edgeShare)) {
    const middle = isWhole ? Math.round((good + bad) / 2) : (good + bad) / 2
    if (await meetsAt(middle)) good = middle
    else bad = middle
  }
  const holdsAt = async (value: number, times: number): Promise<boolean> => {
    for (let turn = 0; turn < times; turn += 1) if (!(await meetsAt(value))) return false
    return true
  }
  let hasHeld = good > 0 && (await holdsAt(good, edgeRepeats - 1))
  while (!hasHeld && good > first / climbFactor) {
    good = isWhole ? Math.floor(good * (1 - edgeShare)) : good * (1 - edgeShare)
    hasHeld = good > 0 && (await holdsAt(good, edgeRepeats))
  }
  return hasHeld ? good : null
}

function outcomeOf(plan: LoadPlan, value: number, result: LoadResult): Outcome {
  const { validity, slo } = result
  const load = `at ${loadWords(plan, value)}`
  if (validity.verdict === 'interrupted') return { undecided: 'the search was interrupted' }
  if (validity.verdict === 'invalid')
    return { undecided: `${load} the measurement is not valid: ${validity.reasons.join('; ')}` }
  const stretch = stretchFor(plan, result)
  if (stretch > 1) {
    const few = slo.filter(({ unreliable }) => unreliable === true).map(({ expression }) => expression)
    const advice =
      plan.requestsMax === undefined
        ? `--duration ${Math.ceil((plan.durationMs * stretch * margin) / 1000)}`
        : 'more --requests'
    return { undecided: `${load} there were too few requests for ${few.join(', ')}; pass ${advice}` }
  }
  return slo.every(({ pass }) => pass) ? 'met' : 'missed'
}

/** How many times as long a load must last before its objectives can be judged; 1 if they can be now. */
function stretchFor({ objectives }: LoadPlan, { slo, metrics, outcomes }: LoadResult): number {
  const isMissed = slo.some(({ pass, unreliable }) => !pass && unreliable !== true)
  if (isMissed || outcomes.ok === 0) return 1
  const stretches = objectives.map((objective) => {
    const { subject } = objective
    if (subject.kind === 'figure' || !isPercentile(subject.stat)) return 1
    const stats = metrics[subject.metric][subject.view]
    // What half of the requests miss needs no more of them.
    const isFar = stats.count >= enoughFor('p50') && !holds(objective, stats.p50)
    return isFar ? 0 : Math.max(1, enoughFor(subject.stat) / stats.count)
  })
  return stretches.includes(0) ? 1 : Math.max(1, ...stretches)
}
