import { describe, expect, test } from 'vitest'
import { clause, must, open, should } from './check.ts'
import { selectChecks } from './select.ts'
import { fields, idOf, openFields } from './test-tools.ts'

const own = { ...fields, run: async () => {} }
const checks = [
  ...clause('4.1', [must(idOf('stream.ends'), own), should(idOf('stream.quick'), { ...own, safe: false })]),
  ...clause('5', [
    must(idOf('auth.second'), { ...own, needs: ['second-key'] }),
    open(idOf('auth.shape'), { ...openFields, run: own.run }),
  ]),
]
const ids = (only: string[], skip: string[] = [], safe = false) =>
  selectChecks(checks, { only, skip, safe }).map(({ id }) => id)

describe('a selector', () => {
  test.each([
    ['stream.ends', ['stream.ends']],
    ['stream.*', ['stream.ends', 'stream.quick']],
    ['4.1', ['stream.ends', 'stream.quick']],
    ['4', ['stream.ends', 'stream.quick']],
    ['must', ['stream.ends', 'auth.second']],
    ['second-key', ['auth.second']],
    ['client', ['stream.ends', 'stream.quick', 'auth.shape']],
  ])('%s', (selector, expected) => {
    expect(ids([selector])).toEqual(expected)
  })

  test('leaves out what --skip names, and with --safe what is not safe', () => {
    expect(ids([], ['auth.*'], true)).toEqual(['stream.ends'])
  })

  test('is a mistake if it selects nothing', () => {
    expect(() => ids(['no.such'])).toThrow('selects no check')
    expect(() => ids(['stream.ends'], ['stream.*'])).toThrow('No check is left')
  })
})
