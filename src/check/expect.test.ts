import { describe, expect, test } from 'vitest'
import type { Exchange } from '../wire/transcript.ts'
import { createExpect, Mismatch } from './expect.ts'

const hold = createExpect(() => {})

function mismatchOf(run: () => void): Mismatch {
  try {
    run()
  } catch (error) {
    if (error instanceof Mismatch) return error
  }
  throw new Error('the expectation held')
}

describe('an expectation', () => {
  const long = 'x'.repeat(2000)

  test('compares long texts to their end and shows where they differ', () => {
    const mismatch = mismatchOf(() => hold('text', `${long}a`).is(`${long}b`))
    expect(mismatch.saw.expected).toBe(`…${'x'.repeat(40)}b" (2003 characters)`)
    expect(mismatch.saw.actual).toBe(`…${'x'.repeat(40)}a" (2003 characters)`)
    expect(mismatchOf(() => hold('text', `a${long}`).is('a')).saw.actual).toMatch(/^"ax{498}… \(2003 characters\)$/)
    expect(() => hold('text', `${long}a`).isNot(`${long}b`)).not.toThrow()
    expect(() => hold('text', `${long}a`).isOneOf([long, `${long}a`])).not.toThrow()
  })

  test('shows what nobody sees in a text', () => {
    const { expected } = mismatchOf(() => hold('text', '').is('a\u2028b\u0085c\u00a0d\u200be')).saw
    expect(expected).toBe('"a\\u2028b\\u0085c\\u00a0d\\u200be"')
  })

  test('compares by value, and does not take nothing for null', () => {
    expect(() => hold('list', [1, { a: 'b' }]).is([1, { a: 'b' }])).not.toThrow()
    expect(mismatchOf(() => hold<unknown>('field', undefined).is(null)).saw).toMatchObject({
      what: 'field',
      expected: 'null',
      actual: 'nothing',
    })
  })

  test('knows the class of a status, and which were due', () => {
    expect(() => hold('status', 204).isStatus('2xx')).not.toThrow()
    expect(() => hold('status', 404).isStatus('2xx', '4xx')).not.toThrow()
    expect(() => hold('status', 503).isStatus('4xx', 503)).not.toThrow()
    expect(() => hold('status', undefined).isStatus('2xx')).toThrow('status: expected a 2xx, got nothing')
    const { expected, due } = mismatchOf(() => hold('status', 500).isStatus('4xx', 503)).saw
    expect({ expected, due }).toEqual({ expected: 'a 4xx or 503', due: ['4xx'] })
  })

  test('reports what held, and nothing else', () => {
    const proofs: unknown[] = []
    const counted = createExpect((what, shownBy) => proofs.push([what, shownBy]))
    counted('count', 3).isAtLeast(3)
    expect(() => counted('count', 3).isAtMost(2)).toThrow(Mismatch)
    expect(proofs).toEqual([['count', undefined]])
  })

  test.each([
    ['one without a head', {}, 'unanswered'],
    ['one that was waited for in vain', { ending: 'timeout' }, 'unanswered'],
    ['one that stopped in its middle', { head: {}, ending: 'timeout' }, 'broken-off'],
    ['one that came', { head: {}, ending: 'complete' }, undefined],
  ] as const)('knows an answer that could not be looked into: %s', (_, given, noReply) => {
    const exchange = { ending: 'reset', ...given } as unknown as Exchange
    expect(mismatchOf(() => hold('status', 500, { exchange }).is(400)).saw.noReply).toBe(noReply)
    expect(mismatchOf(() => hold('status', 500).is(400)).saw.noReply).toBeUndefined()
  })
})
