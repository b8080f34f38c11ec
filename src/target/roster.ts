import { isRecord, listAt, numberAt, textAt } from '../json.ts'
import type { Answer } from './answer.ts'
import { readPart } from './json-part.ts'

/** A model as the list shows it, read leniently: it is the checks that judge the list. */
export interface RosterModel {
  readonly id: string
  /** US dollars per million tokens; absent when the list names no usable number. */
  readonly promptPrice?: number
  readonly completionPrice?: number
}

/** A higher price, in US dollars per million tokens, must be in a wrong unit and is ignored. */
export const plausiblePriceMax = 1000

/** The models of a list in any shape: `data`, `models`, a bare array; objects or plain ids. */
export function readRoster(json: unknown): RosterModel[] {
  const entries = [json, ...['data', 'models'].map((name) => listAt(json, name))].find(
    (candidate) => Array.isArray(candidate) && candidate.length > 0,
  )
  const seen = new Set<string>()
  return listAt(entries).flatMap((entry) => {
    const id =
      typeof entry === 'string' ? entry : (textAt(entry, 'id') ?? textAt(entry, 'name') ?? textAt(entry, 'model'))
    if (id === undefined || id === '' || seen.has(id)) return []
    seen.add(id)
    const promptPrice = priceAt(entry, 'prompt')
    const completionPrice = priceAt(entry, 'completion')
    return [
      {
        id,
        ...(promptPrice === undefined ? {} : { promptPrice }),
        ...(completionPrice === undefined ? {} : { completionPrice }),
      },
    ]
  })
}

/** The models of an answer: of a list that is too long to be read to its end, those that were read. */
export function rosterOf({ json, text, isPartial }: Answer): RosterModel[] {
  return readRoster(isPartial ? readPart(text) : json)
}

/** The roster with the cheapest model first; models without a price come last, ties keep the list's order. */
export function cheapestFirst(roster: readonly RosterModel[]): RosterModel[] {
  const price = (model: RosterModel): number => (model.promptPrice ?? Number.MAX_VALUE) + (model.completionPrice ?? 0)
  return [...roster].sort((a, b) => price(a) - price(b))
}

function priceAt(entry: unknown, kind: string): number | undefined {
  if (!isRecord(entry)) return undefined
  const price = numberAt(entry, 'pricing', kind) ?? Number(textAt(entry, 'pricing', kind) ?? Number.NaN)
  return price >= 0 && price <= plausiblePriceMax ? price : undefined
}
