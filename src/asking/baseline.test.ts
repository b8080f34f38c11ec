import { expect, test } from 'vitest'
import type { Answer } from '../target/answer.ts'
import { baselineOf, whyUnstable } from './baseline.ts'

type Sent = Readonly<Record<string, unknown>>

/** The baseline of replies whose texts a model makes so; undefined is a refusal. */
function baselineFor(textOf: (sent: Sent) => string | undefined) {
  const probe = async (sent: Sent): Promise<Answer> => {
    const content = textOf(sent)
    const status = content === undefined ? 503 : 200
    return { status, text: '', json: { choices: [{ message: { content } }] }, exchange: {} as Answer['exchange'] }
  }
  const means = { once: <T>(_: string, make: () => Promise<T>) => make(), sampler: { probe }, witness: () => {} }
  return baselineOf(means as unknown as Parameters<typeof baselineOf>[0], 'json')
}

let drawn = 0
const anew = (): string => `${drawn++} is what comes first`

test('a model that says the same each time is asked as usual', async () => {
  const { stable, isUsual } = await baselineFor(() => 'the same')
  expect([stable, isUsual]).toEqual(['the same', true])
})

test.each([
  ['at temperature 0', ({ temperature }: Sent) => temperature === 0, { temperature: 0 }],
  ['with a seed', ({ seed }: Sent) => seed !== undefined, { temperature: 0, seed: 7 }],
])('a model that says the same only %s is asked so', async (_, isSteady, sampling) => {
  const baseline = await baselineFor((sent) => (isSteady(sent) ? 'the same' : anew()))
  expect(baseline).toMatchObject({ stable: 'the same', isUsual: false, body: sampling })
})

test('a model that never says the same is asked as usual, and the reason is that', async () => {
  const baseline = await baselineFor(anew)
  expect(baseline).toMatchObject({ isUsual: true, refused: 0 })
  expect(baseline.texts).toHaveLength(4)
  expect(baseline.stable).toBeUndefined()
  expect(whyUnstable(baseline)).toBe('the model says something different each time')
})

test('requests that were not served are the reason where they are', async () => {
  let asked = 0
  const baseline = await baselineFor(() => (asked++ % 3 === 0 ? undefined : 'the same'))
  expect(whyUnstable(baseline)).toBe('2 of the requests for a text were not served')
})
