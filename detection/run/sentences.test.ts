import { expect, test } from 'vitest'
import { flawIn } from './sentences.ts'

const found = (wrong: string | undefined, actual: string, what = 'status for temperature: 3') =>
  flawIn({ ...(wrong !== undefined && { wrong }), what, actual })

test('a sentence that the status bears out has no flaw', () => {
  expect(found('A temperature above the range was served.', '200')).toBeUndefined()
  expect(found('A temperature inside the range was not accepted.', '400')).toBeUndefined()
  expect(found('`stop` was refused with a status that is no 4xx.', '500')).toBeUndefined()
  expect(found('The reply was not served in time.', 'true', 'whether it came')).toBeUndefined()
  expect(found('A model was served without a node, or not served after its nodes were back.', '503')).toBeUndefined()
})

test.each([
  [undefined, '200', 'it has no sentence'],
  ['temperature', '200', 'it is no whole sentence'],
  ['A temperature of $' + '{value} was served.', '200', 'something is missing in it'],
  ['A model undefined was served.', '200', 'something is missing in it'],
  ['A temperature above the range was served.', '500', 'status 500 contradicts it'],
  ['A temperature inside the range was not accepted.', '200', 'status 200 contradicts it'],
  ['A bad model was refused with a status that is no 4xx.', '404', 'status 404 contradicts it'],
])('%s, of what ended in %s: %s', (wrong, actual, flaw) => {
  expect(found(wrong, actual)).toContain(flaw)
})
