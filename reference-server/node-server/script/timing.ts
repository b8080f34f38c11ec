import { type Prng, prng } from '../../network/prng.ts'

/** Milliseconds: always the same, bell-shaped, or read off measured percentiles. */
export type Distribution =
  | number
  | { readonly mean: number; readonly sd: number; readonly min?: number }
  | { readonly percentiles: readonly (readonly [percent: number, ms: number])[] }

/** How a machine of some size paces its tokens. All times are milliseconds. */
export interface TimingModel {
  readonly firstToken: Distribution
  readonly gap: Distribution
  /** Added to the first token's time for each token of the prompt. */
  readonly prefillMsPerToken?: number
  /** Every stream above `above` makes all times longer by this part of themselves. */
  readonly slowdown?: { readonly above: number; readonly factor: number }
  /** Each gap whose number divides by `every` is longer by `ms`. */
  readonly spikes?: { readonly every: number; readonly ms: number }
  /** Gaps are multiplied by a factor that moves from one to the other in the first `overMs` after the first token. */
  readonly ramp?: { readonly fromFactor: number; readonly toFactor: number; readonly overMs: number }
}

export interface Occasion {
  readonly seed: number
  readonly chunks: number
  readonly promptTokens: number
  /** Streams under way on the node, this one among them. */
  readonly concurrent: number
}

/**
 * When each chunk is due, in milliseconds from the request's arrival. It is settled before the first chunk is sent,
 * so that a late chunk delays none after it. There is always a first time, for replies without a chunk end then.
 */
export function schedule(model: TimingModel, { seed, chunks, promptTokens, concurrent }: Occasion): readonly number[] {
  const chance = prng(seed)
  const load = loadFactor(model, concurrent)
  const firstMs = (sample(model.firstToken, chance) + (model.prefillMsPerToken ?? 0) * promptTokens) * load
  const timesMs = [firstMs]
  let atMs = firstMs
  for (let number = 1; number < chunks; number += 1) {
    atMs += sample(model.gap, chance) * load * rampFactor(model, atMs - firstMs) + spikeMs(model, number)
    timesMs.push(atMs)
  }
  return timesMs
}

/** The seed of one reply's times: requests of one node differ, and a node's seed foretells them all. */
export function replySeed(nodeSeed: number, requestNumber: number): number {
  return (nodeSeed + Math.imul(requestNumber, 0x9e3779b1)) >>> 0
}

function loadFactor({ slowdown }: TimingModel, concurrent: number): number {
  return slowdown === undefined ? 1 : 1 + slowdown.factor * Math.max(0, concurrent - slowdown.above)
}

function rampFactor({ ramp }: TimingModel, elapsedMs: number): number {
  if (ramp === undefined) return 1
  const part = ramp.overMs === 0 ? 1 : Math.min(1, elapsedMs / ramp.overMs)
  return ramp.fromFactor + (ramp.toFactor - ramp.fromFactor) * part
}

function spikeMs({ spikes }: TimingModel, number: number): number {
  return spikes !== undefined && number % spikes.every === 0 ? spikes.ms : 0
}

function sample(distribution: Distribution, chance: Prng): number {
  if (typeof distribution === 'number') return distribution
  if ('percentiles' in distribution) return percentile(distribution.percentiles, 100 * fraction(chance))
  const { mean, sd, min = 0 } = distribution
  return Math.max(min, mean + sd * normal(chance))
}

/** The inverse of a cumulative distribution that is straight between its points and level outside them. */
function percentile(points: readonly (readonly [number, number])[], percent: number): number {
  const next = points.findIndex(([at]) => at >= percent)
  const [toPercent, toMs] = points.at(next) ?? [0, 0]
  const [fromPercent, fromMs] = (next > 0 ? points[next - 1] : undefined) ?? [toPercent, toMs]
  if (toPercent === fromPercent || next === -1) return toMs
  return fromMs + ((toMs - fromMs) * (percent - fromPercent)) / (toPercent - fromPercent)
}

/** Box and Muller's way from two even numbers to one of the standard normal distribution. */
function normal(chance: Prng): number {
  return Math.sqrt(-2 * Math.log(1 - fraction(chance))) * Math.cos(2 * Math.PI * fraction(chance))
}

/** An even number from 0 up to and without 1. */
function fraction(chance: Prng): number {
  return chance.below(2 ** 32) / 2 ** 32
}
