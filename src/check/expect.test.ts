import { describe, expect, test } from 'vitest'
import { createExpect, Departure } from './expect.ts'

const hold = createExpect(() => {})

function departureOf(run: () => void): Departure {
  try {
    run()
  } catch (error) {
    if (error instanceof Departure) return error
  }
  throw new Error('the expectation held')
}

describe('an expectation', () => {
  const long = 'x'.repeat(2000)

  test('compares long texts to their end, and shows where they differ', () => {
    const departure = departureOf(() => hold('text', `${long}a`).is(`${long}b`))
    expect(departure.expected).toBe(`…${'x'.repeat(40)}b" (2003 characters)`)
    expect(departure.actual).toBe(`…${'x'.repeat(40)}a" (2003 characters)`)
    expect(departureOf(() => hold('text', `a${long}`).is('a')).actual).toMatch(/^"ax{498}… \(2003 characters\)$/)
    expect(() => hold('text', `${long}a`).isNot(`${long}b`)).not.toThrow()
    expect(() => hold('text', `${long}a`).isOneOf([long, `${long}a`])).not.toThrow()
  })

  test('compares by value, and takes nothing for null', () => {
    expect(() => hold('list', [1, { a: 'b' }]).is([1, { a: 'b' }])).not.toThrow()
    expect(departureOf(() => hold<unknown>('field', undefined).is(null))).toMatchObject({
      what: 'field',
      expected: 'null',
      actual: 'nothing',
    })
  })

  test('tells of what held, and of nothing else', () => {
    const proofs: unknown[] = []
    const counted = createExpect((shownBy) => proofs.push(shownBy))
    counted('count', 3).isAtLeast(3)
    expect(() => counted('count', 3).isAtMost(2)).toThrow(Departure)
    expect(proofs).toEqual([undefined])
  })
})
