import { expect, test } from 'vitest'
import { isVariantId, showsAtNodes, variants } from '../variants/index.ts'
import { drawSubjects, type Subject } from './subjects.ts'

const legalOf = (seed: number): readonly Subject[] =>
  drawSubjects({ seed, full: false, only: [], skip: [] }).filter(({ kind }) => kind !== 'fault')

test('every run examines every legal variant, those that show only at nodes with our nodes', () => {
  for (let seed = 0; seed < 20; seed += 1) {
    const legal = legalOf(seed)
    expect(new Set(legal.flatMap(({ entries }) => entries))).toEqual(new Set(Object.keys(variants)))
    for (const { entries, setting } of legal)
      expect(setting.withNodes, String(entries)).toBe(entries.filter(isVariantId).some(showsAtNodes))
  }
})
