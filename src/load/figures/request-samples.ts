import { createChance } from '../schedule/chance.ts'
import type { RequestValues } from './request-latencies.ts'

/** What one complete request took, for statistics that need requests and not percentiles. */
export interface RequestSample {
  /** Of the intended start, in milliseconds from the start of the run. */
  readonly atMs: number
  readonly values: RequestValues
}

const samplesMax = 5000

/** A reservoir: each request is as likely to be kept as every other. */
export class RequestSamples {
  readonly kept: RequestSample[] = []
  private readonly chance

  constructor(seed: number) {
    this.chance = createChance(seed)
  }

  /** `seen`: how many requests there were up to this one. */
  add(sample: RequestSample, seen: number): void {
    if (this.kept.length < samplesMax) {
      this.kept.push(sample)
      return
    }
    const place = Math.floor(this.chance.unit() * seen)
    if (place < samplesMax) this.kept[place] = sample
  }
}
