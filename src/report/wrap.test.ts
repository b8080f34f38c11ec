import { expect, test } from 'vitest'
import { createPaint } from './paint.ts'
import { wrap, wrapLines } from './wrap.ts'

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

test('a line is as wide as it is shown: colours take no room', () => {
  const { bad, dim } = createPaint(true)
  const text = `${bad('✗')} ${dim('twelve words and more')}`
  expect(wrap(text, '', 24)).toBe(text)
  expect(wrap(text, '', 23).split('\n')).toHaveLength(2)
})

test('each line of a text goes on below itself, and all stay as they are where there is no terminal', () => {
  expect(wrapLines('a heading of words\n    an item of words', 16)).toBe(
    'a heading of\n  words\n    an item of\n      words',
  )
  expect(wrapLines('a heading of words', undefined)).toBe('a heading of words')
})

test('what stands in a second column goes on in it, unless that is too far to the right', () => {
  expect(wrapLines('  name  what it is for', 16)).toBe('  name  what it\n        is for')
  expect(wrapLines('  a-long-name  what it is for', 24)).toBe('  a-long-name  what it\n    is for')
})
