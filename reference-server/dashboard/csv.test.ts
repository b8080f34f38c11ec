import { expect, test } from 'vitest'
import { csvLine } from './csv.ts'

test.each([
  [['a', 1, undefined], 'a,1,'],
  [['one, two', 'say "no"', 'a\nb'], '"one, two","say ""no""","a\nb"'],
  [['=1+1', '+cmd', '-x', '@a'], "'=1+1,'+cmd,'-x,'@a"],
  [['-0.0000026', '12.5', -3], '-0.0000026,12.5,-3'],
])('%j is the line %s', (values, line) => {
  expect(csvLine(values)).toBe(`${line}\r\n`)
})
