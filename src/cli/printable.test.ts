import { expect, test } from 'vitest'
import { printable } from './printable.ts'

test.each([
  ['lines and columns', 'a\tb\n', 'a\tb\n'],
  ['our colours', '\u001b[31mbad\u001b[39m \u001b[1mb\u001b[22m', '\u001b[31mbad\u001b[39m \u001b[1mb\u001b[22m'],
  ['hidden text', '\u001b[8mhidden', '\\u001b[8mhidden'],
  ['a title and a bell', '\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
  ['one byte for an escape', '\u009b31m', '\\u009b31m'],
  ['a carriage return', 'good\rbad ', 'good\\u000dbad '],
  ['another direction', '\u202egnp.exe', '\\u202egnp.exe'],
])('%s: a terminal shows what is there', (_, text, shown) => {
  expect(printable(text, true)).toBe(shown)
})

test('where nothing is coloured, colours are not ours', () => {
  expect(printable('\u001b[31mred', false)).toBe('\\u001b[31mred')
})
