import { HarnessError } from '../harness-error.ts'
import { type Address, readAddress } from './address.ts'

/** An operator node that Assay plays: where it listens, and which model it serves. */
export interface NodePlace extends Address {
  readonly model: string
}

/** Reads `HOST:PORT[=MODEL],…`; a node without a model serves `model`. */
export function readPlaces(text: string, model: string | undefined): readonly NodePlace[] {
  return text.split(',').map((place) => {
    const [address = '', ...named] = place.split('=')
    const read = readAddress('--nodes', address)
    const own = named.join('=') || model
    if (own === undefined)
      throw new HarnessError('usage', `--nodes ${place} names no model: write ${place}=MODEL, or pass --model.`)
    return { ...read, model: own }
  })
}
