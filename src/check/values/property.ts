import fc from 'fast-check'
import { Unsettled } from '../../target/unsettled.ts'
import { Mismatch } from '../expect.ts'
import type { Counterexample } from '../verdict.ts'

/** How the values that a check tries are drawn. */
export interface Randomness {
  readonly seed: number
  /** Most values to try of a property. */
  readonly runs: number
  /** Whether the values of each list that notice most faults are tried. */
  readonly isQuick?: boolean
  /** If given, only this counterexample is replayed. */
  readonly path?: string
  /** If given, this request is a sample, too: its answer showed the failure that is replayed. */
  readonly sample?: Readonly<Record<string, unknown>>
}

/** `runsMax`: fewer values than the run allows, for a property of which each value takes many requests. */
export type PropertyOf = <T>(
  values: fc.Arbitrary<T>,
  holds: (value: T) => Promise<void>,
  options?: { readonly runsMax?: number },
) => Promise<void>

/** A mismatch that a property found, with what is needed to find it again. */
export class PropertyMismatch extends Mismatch {
  readonly counterexample: Counterexample

  constructor(mismatch: Mismatch, counterexample: Counterexample) {
    super(mismatch.saw)
    this.counterexample = counterexample
  }
}

/**
 * How long a property may try values: at most this share of the remaining time, because all that comes after it needs the rest, and
 * at most these milliseconds for each value. With a target that is slow a few values are enough.
 */
const propertyTime = { share: 0.3, msPerValue: 50, leastMs: 3000 }

function propertyMs({ runs }: Randomness, remainingMs: number): number {
  const { share, msPerValue, leastMs } = propertyTime
  return Math.min(remainingMs * share, Math.max(leastMs, runs * msPerValue))
}

/**
 * Tries values until one fails, or the runs or the time are used up. A counterexample is shrunk and then tried once
 * more: if it holds the second time, it proves nothing and the check is undecided.
 */
export function propertyOf(randomness: Randomness, remainingMs: () => number): PropertyOf {
  return async (values, holds, { runsMax = Number.POSITIVE_INFINITY } = {}) => {
    let unsettled: Unsettled | undefined
    const property = fc.asyncProperty(values, async (value) => {
      if (unsettled !== undefined) return
      try {
        await holds(value)
      } catch (error) {
        if (!(error instanceof Unsettled)) throw error
        unsettled = error
      }
    })
    const { seed, runs, path } = randomness
    const result = await fc.check(property, {
      seed,
      numRuns: path === undefined ? Math.min(runs, runsMax) : 1,
      interruptAfterTimeLimit: Math.max(0, propertyMs(randomness, remainingMs())),
      markInterruptAsFailure: false,
      ...(path === undefined ? {} : { path, endOnFailure: true }),
    })
    if (unsettled !== undefined && result.counterexample === null) throw unsettled
    if (result.counterexample === null) {
      if (result.numRuns === 0) throw new Unsettled('budget', 'no time was left to try a random value')
      return
    }
    const found = result.errorInstance
    if (!(found instanceof Mismatch)) throw found
    const value = result.counterexample[0] as Parameters<typeof holds>[0]
    throw new PropertyMismatch(await confirm(() => holds(value)), {
      seed: result.seed,
      path: result.counterexamplePath ?? '',
      value: fc.stringify(value),
    })
  }
}

async function confirm(again: () => Promise<void>): Promise<Mismatch> {
  try {
    await again()
  } catch (error) {
    if (error instanceof Mismatch) return error
    throw error
  }
  throw new Unsettled('target', 'a value was answered wrongly once, and correctly when it was asked again')
}
