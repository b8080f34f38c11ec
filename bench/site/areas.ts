import type { Basis } from '../../src/contract/marks.ts'
import { checks } from '../../suites/index.ts'
import type { Cell, Column } from '../results.ts'

/** What a check is about, by the first word of its id. */
const words = {
  requests: ['request', 'message', 'temperature', 'top-p', 'sampling', 'max-tokens', 'stop', 'window'],
  replies: ['chat', 'completion', 'reply', 'usage', 'concurrency'],
  streams: ['stream', 'chunk'],
  models: ['models', 'model', 'unknown-model', 'unavailable'],
  keys: ['auth', 'key'],
  HTTP: ['http', 'errors', 'version', 'service', 'throughput'],
  nodes: ['relay'],
  money: ['billing', 'account'],
} as const

export type Area = keyof typeof words
export const areas = Object.keys(words) as readonly Area[]

export function areaOf(id: string): Area {
  const [word = ''] = id.split('.')
  const area = areas.find((one) => words[one].some((each) => each === word))
  if (area === undefined) throw new Error(`${id} is of no area of bench/site/areas.ts`)
  return area
}

const basisOf = new Map<string, Basis | undefined>(checks.map(({ id, basis }) => [id, basis]))
const levelOf = new Map<string, string>(checks.map(({ id, level }) => [id, level]))

/** Whether only this contract demands it, and not the format that every such server claims. */
export function isOfContract({ id }: Pick<Cell, 'id'>): boolean {
  return basisOf.get(id) === 'contract'
}

export interface Tally {
  readonly decided: number
  readonly must: number
  readonly should: number
}

/** How many of these checks were decided, and how many of them failed. */
export function tallyOf({ results }: Column, isCounted: (cell: Cell) => boolean): Tally {
  const decided = results.filter((cell) => (cell.verdict === 'pass' || cell.verdict === 'fail') && isCounted(cell))
  const failed = decided.filter(({ verdict }) => verdict === 'fail')
  const must = failed.filter(({ id }) => levelOf.get(id) === 'must').length
  return { decided: decided.length, must, should: failed.length - must }
}

export function failuresOf({ results }: Column): readonly Cell[] {
  return results.filter(({ verdict }) => verdict === 'fail')
}
