import { expect, test } from 'vitest'
import { HarnessError } from '../harness-error.ts'
import { conformanceOptions } from './conformance.ts'
import { loadOptions } from './load.ts'
import { parseOptions } from './parse.ts'
import { readHeader } from './target.ts'

function refusal(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    if (error instanceof HarnessError) return error.message
    throw error
  }
  return 'nothing was refused'
}

test.each([
  ['sk-of-a-test\n', 'holds a line break.'],
  ['sk-of-a-test\r', 'holds a line break.'],
  ['sk-of-a-test…', 'holds a character that no header can carry (U+2026).'],
  ['sk-of-a-test\u0000', 'holds a character that no header can carry (U+0000).'],
  ['sk-of-a-test😀', 'holds a character that no header can carry (U+1F600).'],
  ['Bearer sk-of-a-test', "begins with 'Bearer ', which is added to every key."],
  ['bearer sk-of-a-test', "begins with 'bearer ', which is added to every key."],
  ['"sk-of-a-test"', 'is wrapped in quotes.'],
  ["'sk-of-a-test'", 'is wrapped in quotes.'],
])('the key %j is refused by the name of its variable or option, and not shown', (key, words) => {
  const next = '\nGive the key alone, as the server printed it.'
  for (const table of [conformanceOptions, loadOptions]) {
    expect(refusal(() => parseOptions(table, [], { ASSAY_API_KEY: key }))).toBe(`ASSAY_API_KEY ${words}${next}`)
    expect(refusal(() => parseOptions(table, ['--api-key', key], {}))).toBe(`--api-key ${words}${next}`)
  }
})

test('every option that holds a key or a token is looked at', () => {
  const names = Object.keys(conformanceOptions).filter((name) => /-(key|token)$/.test(name))
  expect(names.length).toBeGreaterThanOrEqual(8)
  for (const name of names)
    expect(refusal(() => parseOptions(conformanceOptions, [`--${name}`, 'sk-of-a-test\n'], {}))).toContain(
      `--${name} holds a line break.`,
    )
})

test('a key with a quote or a letter of Latin-1 in it is taken as it is', () => {
  for (const key of ["sk-it's", 'sk-é', '"'])
    expect(parseOptions(loadOptions, [], { ASSAY_API_KEY: key }).values).toEqual({ 'api-key': key })
})

test('the value of a header that none can carry is refused by the name of the header, and not shown', () => {
  expect(refusal(() => readHeader('Authorization: Bearer sk-of-a-test\n'))).toBe(
    '--header Authorization holds a line break.\nCorrect the value of this header.',
  )
  expect(refusal(() => readHeader('x-key: sk-…'))).toContain('--header x-key holds a character that no header')
  expect(readHeader('x-tenant: a "quoted" one')).toEqual(['x-tenant', 'a "quoted" one'])
})
