import type { Flight } from '../meter/flight.ts'
import type { GapLog } from '../meter/gap-log.ts'
import { holds, type Objective, shareBeyond } from '../schedule/objective.ts'
import { type Metric, metrics } from './metrics.ts'

/** Whether one request meets an objective: not if it lacks the metric; always if the objective is about the whole run. */
export function meets(objective: Objective, flight: Flight, gaps: GapLog): boolean {
  const { subject } = objective
  if (subject.kind === 'figure') return true
  if (subject.metric === 'gap') {
    let beyond = 0
    gaps.forEach((gapMs, count) => {
      if (!holds(objective, gapMs)) beyond += count
    })
    return beyond <= shareBeyond(subject.stat) * gaps.count
  }
  const startAtMs = subject.view === 'response' ? flight.intendedAtMs : flight.sentAtMs
  const { of }: Required<Metric> = metrics[subject.metric]
  const value = of(flight, startAtMs, gaps.largestMs)
  return !Number.isNaN(value) && holds(objective, value)
}
