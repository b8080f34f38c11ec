import { expect, test } from 'vitest'
import { isDamagedCopy } from './damaged-copy.ts'

const text = 'Lamps swing over wet stones, and three boats knock against the pier.'

test.each([
  ['itself', text],
  ['nothing', ''],
  ['its beginning', text.slice(0, 20)],
  ['its end', text.slice(20)],
  ['all but a word', text.replace('wet ', '')],
  [
    'every third word lost',
    text
      .split(' ')
      .filter((_, index) => index % 3 !== 2)
      .join(' '),
  ],
  ['every word twice', text.replaceAll(/\S+/g, '$& $&')],
  ['more text after it', `${text} And so on.`],
  ['a word changed in the middle', text.replace('wet', 'dry')],
  ['a character broken', text.replace('s', '\ufffd')],
])('%s may be a damaged copy', (_, other) => {
  expect([isDamagedCopy(other, text), isDamagedCopy(text, other)]).toEqual([true, true])
})

test.each([
  ['other words', 'The old harbour lies quiet tonight, and rain comes in from the north.'],
  [
    'a beginning that soon leads elsewhere',
    'Lamps swing in the wind tonight, while rain falls on the old quiet harbour.',
  ],
  ['more words, and other ones', 'No boat is out. '.repeat(20)],
])('%s cannot be', (_, other) => {
  expect([isDamagedCopy(other, text), isDamagedCopy(text, other)]).toEqual([false, false])
})
