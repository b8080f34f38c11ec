import { expect, it } from 'vitest'
import { variants } from '../variants/index.ts'
import type { Variant } from '../variants/variant.ts'
import { drawCombinations } from './combine.ts'

const table: Readonly<Record<string, Variant>> = variants
const names = Object.keys(table)
const seeds = Array.from({ length: 20 }, (_, seed) => seed)
const draw = (seed: number, due: readonly string[] = []) => drawCombinations({ seed, count: 60, table, due })

it('draws the same for the same seed, and other combinations for others', () => {
  for (const seed of seeds) expect(draw(seed)).toEqual(draw(seed))
  expect(new Set(seeds.flatMap((seed) => draw(seed).map(String))).size).toBeGreaterThan(seeds.length * 60 * 0.9)
})

it('draws two to five different names that exist', () => {
  for (const drawn of seeds.flatMap((seed) => draw(seed))) {
    expect(drawn.length).toBeGreaterThanOrEqual(2)
    expect(drawn.length).toBeLessThanOrEqual(5)
    expect(new Set(drawn).size).toBe(drawn.length)
    for (const name of drawn) expect(table[name]).toBeDefined()
  }
})

it('never draws two of one group', () => {
  for (const drawn of seeds.flatMap((seed) => draw(seed, names))) {
    const groups = drawn.flatMap((name) => table[name]?.group ?? [])
    expect(new Set(groups).size).toBe(groups.length)
  }
})

it('finds a place for every name that is due', () => {
  for (const seed of seeds) expect(new Set(draw(seed, names).flat())).toEqual(new Set(names))
})

it('draws fewer when nothing more can be combined', () => {
  const text: Variant = { about: '', group: 'text', wrap: () => ({}) }
  const [drawn] = drawCombinations({ seed: 1, count: 1, table: { one: text, two: text, three: text }, due: [] })
  expect(drawn).toHaveLength(1)
})
