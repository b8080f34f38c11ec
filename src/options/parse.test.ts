import { expect, test } from 'vitest'
import { cameFrom, parseOptions } from './parse.ts'

const table = {
  'max-time': { kind: 'number', value: 'S', min: 1, whole: false, about: '' },
  quiet: { kind: 'flag', about: '' },
} as const

test('a value that a variable gave is said to come from it, and one from the command line is not', () => {
  const env = { ASSAY_MAX_TIME: 'x' }
  const detail = '--max-time must be a number of seconds, at least 1, got "x".'
  expect(() => parseOptions(table, [], env)).toThrow(detail)
  expect(cameFrom(detail, [], env)).toBe('--max-time comes from the variable ASSAY_MAX_TIME.')
  expect(cameFrom(detail, ['--max-time', 'x'], env)).toBe('')
  expect(cameFrom(detail, ['--max-time=x'], env)).toBe('')
  expect(cameFrom(detail, [], {})).toBe('')
  expect(cameFrom('Nothing answers.', [], env)).toBe('')
})

test('a negative number is the value of the option before it, and no option', () => {
  const limits = { ...table, 'max-time': { ...table['max-time'], min: -9 } }
  expect(parseOptions(limits, ['--max-time', '-.5'], {}).values).toEqual({ 'max-time': -0.5 })
  expect(() => parseOptions(limits, ['--quiet', '-5'], {})).toThrow("Unknown option '-5'")
})
