import { expect, test } from 'vitest'
import { createLiveLine } from './live-line.ts'

function screenOf(columns: number): { written: string[]; write(text: string): void; columns: number } {
  const written: string[] = []
  return { written, columns, write: (text) => void written.push(text.replaceAll('\r\u001b[2K', '')) }
}

test('a line never reaches the last column, and says that it goes on', () => {
  const screen = screenOf(12)
  createLiveLine(screen).show('0123456789abcdef')
  expect(screen.written).toEqual(['0123456789…'])
})

test('a line that stays is whole, and the live one comes back below it', () => {
  const screen = screenOf(10)
  const line = createLiveLine(screen)
  line.show('1/3')
  line.keep('✗ stream.ends-with-done')
  line.end()
  expect(screen.written).toEqual(['1/3', '✗ stream.ends-with-done\n', '1/3', ''])
})
