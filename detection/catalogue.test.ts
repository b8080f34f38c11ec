import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageFolder } from '../src/fixtures.ts'
import { checks } from '../suites/index.ts'
import { faults, faultTables } from './faults/index.ts'
import { variants, variantTables } from './variants/index.ts'

const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(packageFolder, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^\d-(?!self).*\.ts$/.test(name),
  )

describe('the faults', () => {
  const broken = new Set(Object.values(faults).flatMap(({ breaks }) => breaks))
  const gating = checks.filter(({ level }) => level !== 'open')

  test('trip every check that gates', () => {
    expect(gating.filter(({ id }) => !broken.has(id)).map(({ id }) => id)).toEqual([])
  })

  test('name only checks that there are', () => {
    const ids = new Set(checks.map(({ id }) => id))
    expect([...broken].filter((id) => !ids.has(id))).toEqual([])
  })

  test('have one file beside each file of checks that gates, of the same name, and no other', () => {
    for (const file of filesIn('detection/faults'))
      expect(existsSync(join(packageFolder, 'suites', file)), `suites/${file}`).toBe(true)
    const gates = (file: string): boolean =>
      /\b(must|should)\(/.test(readFileSync(join(packageFolder, 'suites', file), 'utf8'))
    expect(filesIn('suites').filter((file) => gates(file) && !filesIn('detection/faults').includes(file))).toEqual([])
  })

  test('are all held by the index', () => {
    expect(faultTables).toHaveLength(filesIn('detection/faults').length)
  })

  test('have each a name of its own, among the variants too', () => {
    const names = [...faultTables, ...variantTables].flatMap((table) => Object.keys(table))
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })
})

test('every file of variants is held by the index', () => {
  const files = readdirSync(join(packageFolder, 'detection', 'variants')).filter(
    (name) => !['index.ts', 'variant.ts'].includes(name),
  )
  expect(variantTables).toHaveLength(files.length)
  expect(Object.keys(variants).length).toBeGreaterThan(200)
})
