import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import type { Lane } from '../client/lane.ts'
import type { Loop, LoopOptions } from './loop.ts'
import { monotonicMs } from './monotonic.ts'

export interface OpenLoopOptions extends LoopOptions {
  /** When each request is due, in milliseconds after the start. */
  readonly times: Float64Array
}

/** Timers are only accurate to a millisecond, so the last stretch before a moment is spent in turns of the event loop. */
const spinMs = 1.5
/** A thread that is busier than this has no time for active waiting. */
const spinLoadMax = 0.5

/** Requests start when they are due, however slow replies are; one that finds no free lane waits for it. */
export class OpenLoop implements Loop {
  connectionsUsed = 0
  private readonly options: OpenLoopOptions
  private readonly idle: Lane[] = []
  private readonly waiting: number[] = []
  private startAtMs = 0
  /** How many requests have become due, and how many of them were sent. */
  private due = 0
  private begun = 0
  private loopBefore = performance.eventLoopUtilization()

  constructor(options: OpenLoopOptions) {
    this.options = options
  }

  get unsent(): number {
    return this.options.times.length - this.begun
  }

  get isSpent(): boolean {
    return this.due >= this.options.times.length && this.waiting.length === 0
  }

  start(startAtMs: number): void {
    this.startAtMs = startAtMs
    this.loopBefore = performance.eventLoopUtilization()
    this.pace()
  }

  free(lane: Lane): void {
    const number = this.waiting.shift()
    if (number === undefined) this.idle.push(lane)
    else this.send(lane, number)
  }

  stop(): void {
    this.due = this.options.times.length
    this.waiting.length = 0
  }

  /** Starts the requests that are due, and runs again when the next one is. */
  private readonly pace = (): void => {
    const nowMs = monotonicMs() - this.startAtMs
    const { times } = this.options
    for (; this.due < times.length && this.dueMs(this.due) <= nowMs; this.due += 1) this.begin(this.due)
    if (this.due >= times.length) {
      this.options.onSpent()
      return
    }
    comeBack(this.pace, this.dueMs(this.due) - (monotonicMs() - this.startAtMs), this.loopBefore)
  }

  private begin(number: number): void {
    const fresh = this.options.lanes[this.connectionsUsed]
    const lane = this.idle.pop() ?? fresh
    if (lane !== undefined && lane === fresh) this.connectionsUsed += 1
    if (lane === undefined) this.waiting.push(number)
    else this.send(lane, number)
  }

  private send(lane: Lane, number: number): void {
    this.begun += 1
    this.options.send(lane, number, this.startAtMs + this.dueMs(number))
  }

  private dueMs(number: number): number {
    return this.options.times[number] ?? 0
  }
}

/** Calls `pace` shortly before the next request is due, or in the next turn if that is near. */
function comeBack(pace: () => void, waitMs: number, loopBefore: EventLoopUtilization): void {
  if (waitMs > spinMs + 1) setTimeout(pace, waitMs - spinMs)
  else if (waitMs > 0.05 && performance.eventLoopUtilization(loopBefore).utilization > spinLoadMax) setTimeout(pace, 1)
  else setImmediate(pace)
}
