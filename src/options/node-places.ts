import { HarnessError } from '../harness-error.ts'
import { type Address, readAddress } from './address.ts'

/** An operator node that Assay plays: where it listens, and for which model. */
export interface NodePlace extends Address {
  readonly model: string
}

/** Reads `HOST:PORT[=MODEL],…`; a place without a model is for `model`. */
export function readPlaces(text: string, model: string | undefined): readonly NodePlace[] {
  return text.split(',').map((place) => {
    const [address = '', ...named] = place.split('=')
    const own = named.join('=') || model
    if (own === undefined)
      throw new HarnessError('usage', `--nodes ${place} names no model: write ${place}=MODEL, or pass --model.`)
    return { ...readAddress('--nodes', address), model: own }
  })
}
