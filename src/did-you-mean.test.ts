import { expect, test } from 'vitest'
import { didYouMean } from './did-you-mean.ts'

const names = ['base-url', 'api-key', 'stop.ends-text', 'conformance', 'compare', 'small']

test.each([
  ['bas-url', 'base-url'],
  ['base_url', 'base-url'],
  ['BASE-URL', 'base-url'],
  ['stop.end-text', 'stop.ends-text'],
  ['conformence', 'conformance'],
  ['conformnace', 'conformance'],
  ['comapre', 'compare'],
  ['smal', 'small'],
])('%s is taken for %s', (word, meant) => {
  expect(didYouMean(word, names)).toBe(` Did you mean "${meant}"?`)
})

test('a word that is like none of them is not guessed at', () => {
  for (const word of ['gpt-4', 'x', 'nothing-of-the-kind', '']) expect(didYouMean(word, names)).toBe('')
})
