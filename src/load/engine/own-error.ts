import { createHistogram } from '../figures/histogram.ts'
import { monotonicMs } from './monotonic.ts'

/** What an engine measured about itself; histograms are serialized. */
export interface OwnErrorResult {
  /** How late requests were sent: after they were due, or after the previous one on their connection ended. */
  readonly lateness: string
  /** How late the thread's timers were. */
  readonly lag: string
  /** CPU time of the thread over the time of the run; 1 is a whole core. */
  readonly cpu: number
}

const lagMs = 5

/** Measures how late the engine itself is. */
export class OwnError {
  readonly lateness = createHistogram()
  readonly lag = createHistogram()
  private startMs = 0
  private cpuBeforeMs = 0
  private cpu = Number.NaN
  private timer: NodeJS.Timeout | undefined

  start(): void {
    this.startMs = monotonicMs()
    this.cpuBeforeMs = threadCpuMs()
    let lagAtMs = this.startMs
    this.timer = setInterval(() => {
      const nowMs = monotonicMs()
      this.lag.record(Math.max(0, nowMs - lagAtMs - lagMs))
      lagAtMs = nowMs
    }, lagMs)
  }

  stop(): void {
    clearInterval(this.timer)
    this.cpu = (threadCpuMs() - this.cpuBeforeMs) / (monotonicMs() - this.startMs)
  }

  result(): OwnErrorResult {
    return { lateness: this.lateness.serialize(), lag: this.lag.serialize(), cpu: this.cpu }
  }
}

/** CPU time of this thread in milliseconds; of the process where the runtime cannot tell threads apart. */
function threadCpuMs(): number {
  const ofThread: unknown = Reflect.get(process, 'threadCpuUsage')
  const usage = (typeof ofThread === 'function' ? ofThread.call(process) : process.cpuUsage()) as NodeJS.CpuUsage
  return (usage.user + usage.system) / 1000
}
