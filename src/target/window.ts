import { contextWindowAtPrice } from '../contract/bounds.ts'
import type { TargetConfig } from './config.ts'
import type { Prepared } from './prepare.ts'

/** The tokens that the model in use has room for: as the user says, or as the contract gives a model at its price. */
export function windowOf({ contextWindow }: TargetConfig, { roster, model }: Prepared): number | undefined {
  return contextWindow ?? contextWindowAtPrice(roster.find(({ id }) => id === model)?.promptPrice)
}
