import { expect, it } from 'vitest'
import { combineVariants } from './combine.ts'
import type { Variant } from './fault.ts'
import { variants } from './variants.ts'

const table: Readonly<Record<string, Variant>> = variants
const seeds = Array.from({ length: 300 }, (_, seed) => seed)

it('draws the same names for the same seed, and others for others', () => {
  for (const seed of seeds) expect(combineVariants(seed)).toEqual(combineVariants(seed))
  expect(new Set(seeds.map((seed) => combineVariants(seed).join())).size).toBeGreaterThan(250)
})

it('draws two to five different names that exist', () => {
  for (const seed of seeds) {
    const names = combineVariants(seed)
    expect(names.length).toBeGreaterThanOrEqual(2)
    expect(names.length).toBeLessThanOrEqual(5)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(table[name]).toBeDefined()
  }
})

it('never draws two of one group', () => {
  for (const seed of seeds) {
    const groups = combineVariants(seed).flatMap((name) => table[name]?.group ?? [])
    expect(new Set(groups).size).toBe(groups.length)
  }
})

it('draws fewer when nothing more can be combined', () => {
  const text: Variant = { about: '', group: 'text', wrap: () => ({}) }
  expect(combineVariants(1, { one: text, two: text, three: text })).toHaveLength(1)
})
