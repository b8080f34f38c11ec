import { expect, test } from 'vitest'
import { wrap } from './wrap.ts'

test('prose is broken between words, and goes on with an indent', () => {
  const text = `  the measurement: ${'some words '.repeat(20)}end`
  const lines = wrap(text, '    ').split('\n')
  expect(lines.length).toBe(4)
  expect(lines.every((line) => line.length < 80)).toBe(true)
  expect(lines[0]).toMatch(/^ {2}the measurement: some/)
  expect(lines.slice(1).every((line) => /^ {4}\S/.test(line))).toBe(true)
  expect(lines.map((line) => line.trim()).join(' ')).toBe(text.trim())
})

test('a word that is longer than a line has a line to itself', () => {
  const word = 'x'.repeat(100)
  expect(wrap(`a ${word} b`, '')).toBe(`a\n${word}\nb`)
  expect(wrap('')).toBe('')
})
