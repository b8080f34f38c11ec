import { expect, test } from 'vitest'
import { piecesOf } from './pieces.ts'

const answer = (text: string, type = 'application/json') => ({
  status: 200,
  headMs: 1,
  headers: [['content-type', type]] as const,
  body: { text },
})

test('a body is parted where its bytes came, and never within a character', () => {
  const pieces = piecesOf({
    answer: answer('aé€z'),
    arrivals: [
      [1, 2],
      [2, 3],
      [3, 2],
    ],
  })
  expect(pieces?.map(({ text, start, atMs }) => [text, start, atMs])).toEqual([
    ['aé', 0, 1],
    ['€', 2, 2],
    ['z', 3, 3],
  ])
})

test('events that came together are pieces of one arrival', () => {
  const text = 'data: 1\n\ndata: 2\r\n\r\ndata'
  const pieces = piecesOf({ answer: answer(text, 'text/event-stream; charset=utf-8'), arrivals: [[4, text.length]] })
  expect(pieces?.map((piece) => [piece.text, piece.arrival])).toEqual([
    ['data: 1\n\n', 0],
    ['data: 2\r\n\r\n', 0],
    ['data', 0],
  ])
})

test.each([
  ['was cut', { answer: answer('abc'), arrivals: [[1, 9]] as const }],
  ['is not text', { answer: { ...answer(''), body: { base64: 'AA==' } }, arrivals: [[1, 1]] as const }],
  ['never came', { arrivals: [] }],
])('nothing is said of a body that %s', (_, given) => {
  expect(piecesOf(given)).toBeUndefined()
})
