import type { LoadPlan } from '../schedule/plan.ts'
import { ClosedLoop } from './closed-loop.ts'
import type { Loop, LoopOptions } from './loop.ts'
import { OpenLoop } from './open-loop.ts'
import type { Workload } from './workload.ts'

/** The loop that carries out a workload. */
export function createLoop({ durationMs }: LoadPlan, { times, requestsMax }: Workload, options: LoopOptions): Loop {
  if (times === undefined) return new ClosedLoop({ ...options, requestsMax, durationMs })
  return new OpenLoop({ ...options, times: times.subarray(0, Math.min(times.length, requestsMax)) })
}
