import fc from 'fast-check'
import { boundTolerance, type Range } from '../../contract/bounds.ts'

/** Values inside a range, both bounds among them, as JSON spells them, starting with those that validators treat differently. */
export function inRangeEdges({ min, max }: Range): readonly string[] {
  const nearMax = max * (1 - Number.EPSILON / 2)
  return [
    `${min}`,
    `${max}`,
    `${min}.0`,
    `${max}.0`,
    '-0',
    '-0.0',
    `${max}e0`,
    '1',
    '1.0',
    '0.5',
    '5E-1',
    '1e-9',
    `${nearMax}`,
    // Evenly through the range, so that no wide band is left to chance.
    ...[0.05, 0.15, 0.25, 0.35, 0.45, 0.6, 0.7, 0.8, 0.9, 0.95].map((share) => String(min + (max - min) * share)),
  ]
}

/** The smallest number above zero that 32 bits hold with full precision: many samplers calculate with these. */
const smallestNormal = 2 ** -126

/** Anywhere in a range: evenly, near its bounds, and in the tenths that people type. */
export function inside({ min, max }: Range): fc.Arbitrary<number> {
  const span = max - min
  const even = fc.double({ min, max, noNaN: true })
  const uniform = fc.integer({ min: 0, max: 10_000 }).map((step) => min + (span * step) / 10_000)
  const tenths = fc.integer({ min: 0, max: Math.round(span * 10) }).map((tenth) => min + tenth / 10)
  const nearMax = fc.double({ min: 0, max: span / 100, noNaN: true }).map((gap) => max - gap)
  const nearMin = fc.double({ min: 0, max: span / 100, noNaN: true }).map((gap) => min + gap)
  return fc
    .oneof({ arbitrary: uniform, weight: 4 }, even, tenths, nearMax, nearMin)
    .filter((value) => value >= min && value <= max && (value === 0 || value >= smallestNormal))
}

/** Above a range by more than rounding explains, mostly near the bound. */
export function above({ max }: Range): fc.Arbitrary<number> {
  return distance().map((gap) => max + gap)
}

/** Below a range by more than rounding explains. */
export function below({ min }: Range): fc.Arbitrary<number> {
  return distance().map((gap) => min - gap)
}

function distance(): fc.Arbitrary<number> {
  const least = boundTolerance * 2
  return fc.oneof(
    { arbitrary: fc.integer({ min: 1, max: 1000 }).map((step) => step / 1000), weight: 4 },
    { arbitrary: fc.integer({ min: 1, max: 200 }).map((step) => step / 10), weight: 2 },
    fc.double({ min: least, max: 1, noNaN: true }),
    fc.double({ min: 1, max: 1e12, noNaN: true }),
  )
}
