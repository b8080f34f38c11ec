import { firstViolation, validator } from '../../validator.ts'
import { InputError } from './input-error.ts'
import type { Distribution, TimingModel } from './timing.ts'
import { type Timing, timingProfiles } from './timing-profiles.ts'

const milliseconds = { type: 'number', minimum: 0, maximum: 86_400_000 }

function closed(properties: Readonly<Record<string, object>>, required: readonly string[]): object {
  return { type: 'object', additionalProperties: false, required, properties }
}

const distribution = {
  type: ['number', 'object'],
  minimum: 0,
  additionalProperties: false,
  dependentRequired: { mean: ['sd'], sd: ['mean'], min: ['mean'] },
  dependentSchemas: { percentiles: { type: 'object', maxProperties: 1 } },
  minProperties: 1,
  properties: {
    mean: milliseconds,
    sd: milliseconds,
    min: milliseconds,
    percentiles: {
      type: 'array',
      minItems: 1,
      items: { type: 'array', minItems: 2, maxItems: 2, items: milliseconds },
    },
  },
}

/** A profile's name (a string) or a model (an object). */
export const timingSchema = {
  type: ['string', 'object'],
  pattern: `^(${Object.keys(timingProfiles).join('|')})$`,
  additionalProperties: false,
  required: ['firstToken', 'gap'],
  properties: {
    firstToken: distribution,
    gap: distribution,
    prefillMsPerToken: milliseconds,
    slowdown: closed({ above: { type: 'integer', minimum: 0 }, factor: { type: 'number', minimum: 0 } }, [
      'above',
      'factor',
    ]),
    spikes: closed({ every: { type: 'integer', minimum: 1 }, ms: milliseconds }, ['every', 'ms']),
    ramp: closed(
      { fromFactor: { type: 'number', minimum: 0 }, toFactor: { type: 'number', minimum: 0 }, overMs: milliseconds },
      ['fromFactor', 'toFactor', 'overMs'],
    ),
  },
}

const timing = validator<Timing>(timingSchema)

/** Throws `InputError` that names the field. */
export function readTiming(value: unknown): Timing {
  const validate = timing()
  if (!validate(value)) throw new InputError('The timing', firstViolation(validate.errors))
  if (typeof value !== 'string') checkPercentiles(value, '')
  return value
}

/** What the schema cannot say: percentiles are from 0 to 100, and neither they nor their times decrease. */
export function checkPercentiles({ firstToken, gap }: TimingModel, prefix: string): void {
  for (const [name, value] of Object.entries({ firstToken, gap })) {
    if (areOrdered(value)) continue
    const where = `${prefix}${name}.percentiles`
    throw new InputError('The timing', { where, problem: 'must be pairs of a percent and a time, both ascending' })
  }
}

function areOrdered(value: Distribution): boolean {
  if (typeof value === 'number' || !('percentiles' in value)) return true
  return value.percentiles.every(([percent, ms], index, all) => {
    const [percentBefore, msBefore] = all[index - 1] ?? [0, 0]
    return percent <= 100 && percent >= percentBefore && ms >= msBefore
  })
}
