import { type Prng, prng } from '../../network/prng.ts'

/** Milliseconds: constant, normally distributed, or drawn from measured percentiles. */
export type Distribution =
  | number
  | { readonly mean: number; readonly sd: number; readonly min?: number }
  | { readonly percentiles: readonly (readonly [percent: number, ms: number])[] }

/** How a machine paces its tokens. All times are in milliseconds. */
export interface TimingModel {
  readonly firstToken: Distribution
  readonly gap: Distribution
  /** Added to the first token's time for each token of the prompt. */
  readonly prefillMsPerToken?: number
  /** Each stream above `above` makes all times longer by this factor. */
  readonly slowdown?: { readonly above: number; readonly factor: number }
  /** Each gap whose number is a multiple of `every` is longer by `ms`. */
  readonly spikes?: { readonly every: number; readonly ms: number }
  /** Gaps are multiplied by a factor that moves from `fromFactor` to `toFactor` in the first `overMs` after the first token. */
  readonly ramp?: { readonly fromFactor: number; readonly toFactor: number; readonly overMs: number }
}

export interface Occasion {
  readonly seed: number
  readonly chunks: number
  readonly promptTokens: number
  /** Streams under way on the node, including this one. */
  readonly concurrent: number
}

/**
 * When each chunk is due, in milliseconds from the request's arrival. It is settled before the first chunk is sent,
 * so that a late chunk delays none after it. There is always a first time: replies without chunks end then.
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

/** The seed of one reply's times: requests to one node differ, and the node's seed decides them all. */
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

/** The inverse of a cumulative distribution that is linear between its points and constant outside them. */
function percentile(points: readonly (readonly [number, number])[], percent: number): number {
  const next = points.findIndex(([at]) => at >= percent)
  const [toPercent, toMs] = points.at(next) ?? [0, 0]
  const [fromPercent, fromMs] = (next > 0 ? points[next - 1] : undefined) ?? [toPercent, toMs]
  if (toPercent === fromPercent || next === -1) return toMs
  return fromMs + ((toMs - fromMs) * (percent - fromPercent)) / (toPercent - fromPercent)
}

/** The Box–Muller transform: two uniform numbers make one of the standard normal distribution. */
function normal(chance: Prng): number {
  return Math.sqrt(-2 * Math.log(1 - fraction(chance))) * Math.cos(2 * Math.PI * fraction(chance))
}

/** A uniform number from 0 up to but not including 1. */
function fraction(chance: Prng): number {
  return chance.below(2 ** 32) / 2 ** 32
}
