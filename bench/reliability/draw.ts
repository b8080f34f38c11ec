import { type Chance, createChance } from '../../src/load/schedule/chance.ts'

/** Choices from a seed. */
export interface Draw extends Pick<Chance, 'unit'> {
  /** A whole number, both ends included. */
  between(least: number, most: number): number
  pick<T>(values: readonly T[]): T
}

export function drawFrom(seed: number): Draw {
  const { unit } = createChance(seed)
  const between = (least: number, most: number): number => least + Math.floor(unit() * (most - least + 1))
  return {
    unit,
    between,
    pick(values) {
      const [picked] = values.slice(between(0, values.length - 1))
      if (picked === undefined) throw new Error('there is nothing to pick from')
      return picked
    },
  }
}
