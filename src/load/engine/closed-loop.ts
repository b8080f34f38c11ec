import type { Lane } from '../client/lane.ts'
import type { Loop, LoopOptions } from './loop.ts'
import { monotonicMs } from './monotonic.ts'

export interface ClosedLoopOptions extends LoopOptions {
  readonly requestsMax: number
  readonly durationMs: number
}

/** Each lane sends its next request when its last one has ended. */
export class ClosedLoop implements Loop {
  readonly unsent = 0
  private readonly options: ClosedLoopOptions
  private begun = 0
  private startAtMs = 0
  private endAtMs = Number.POSITIVE_INFINITY

  constructor(options: ClosedLoopOptions) {
    this.options = options
  }

  get connectionsUsed(): number {
    return this.options.lanes.length
  }

  get isSpent(): boolean {
    return monotonicMs() >= this.endAtMs || this.begun >= this.options.requestsMax
  }

  start(startAtMs: number): void {
    this.startAtMs = startAtMs
    this.endAtMs = Math.min(this.endAtMs, startAtMs + this.options.durationMs)
    for (const lane of this.options.lanes) this.free(lane)
    if (this.isSpent) this.options.onSpent()
  }

  free(lane: Lane): void {
    const nowMs = monotonicMs()
    if (nowMs >= this.endAtMs || this.begun >= this.options.requestsMax) return
    this.begun += 1
    this.options.send(lane, this.begun - 1, Math.max(nowMs, this.startAtMs))
  }

  stop(): void {
    this.endAtMs = Math.min(this.endAtMs, monotonicMs())
  }
}
