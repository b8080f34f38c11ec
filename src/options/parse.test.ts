import { expect, test } from 'vitest'
import { parseOptions } from './parse.ts'

const table = {
  'max-time': { kind: 'number', value: 'S', min: 1, whole: false, about: '' },
  quiet: { kind: 'flag', about: '' },
} as const

test('a wrong value is told by the variable or the option that it came from', () => {
  const rule = 'must be a number of seconds, at least 1, got "x".'
  expect(() => parseOptions(table, [], { ASSAY_MAX_TIME: 'x' })).toThrow(`ASSAY_MAX_TIME ${rule}`)
  expect(() => parseOptions(table, ['--max-time', 'x'], { ASSAY_MAX_TIME: '9' })).toThrow(`--max-time ${rule}`)
})

test('a negative number is the value of the option before it, and no option', () => {
  const limits = { ...table, 'max-time': { ...table['max-time'], min: -9 } }
  expect(parseOptions(limits, ['--max-time', '-.5'], {}).values).toEqual({ 'max-time': -0.5 })
  expect(() => parseOptions(limits, ['--quiet', '-5'], {})).toThrow("Unknown option '-5'")
})
