import { readFixture } from '../../fixtures.ts'

/** Places in the lists of values that checks try, by check and by the length of the list; `npm run generate:values` finds them. */
export type TellingValues = Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>

const telling = JSON.parse(readFixture('checks', 'values.json')) as TellingValues

/**
 * The values of a list that a quick run tries: those by which broken gateways are noticed; the first and the last of a list of which
 * nothing is known.
 */
export function fewOf<T>(id: string | undefined, values: readonly T[], known: TellingValues = telling): readonly T[] {
  const places = known[id ?? '']?.[values.length] ?? [0, values.length - 1]
  return values.filter((_, at) => places.includes(at))
}

/**
 * What a check asks in a quick run, from what it asks with two values of each of its lists, and with all of them. Fewer values save no
 * more than they would if nothing else were asked.
 */
export function quickRequests(id: string, two: number, all: number, known: TellingValues = telling): number {
  const lists = Object.entries(known[id] ?? {}).map(([length, { length: tried }]) => ({
    length: Number(length),
    tried,
  }))
  const product = (factors: readonly number[]): number => factors.reduce((one, other) => one * other, 1)
  const tried = product(lists.map((list) => list.tried))
  const ofTwo = product(lists.map(({ length }) => Math.min(2, length)))
  const values = product(lists.map(({ length }) => length))
  const each = values === ofTwo ? 0 : (all - two) / (values - ofTwo)
  const asked = two + (tried - ofTwo) * each
  return Math.ceil(tried < ofTwo ? Math.max(asked, (two * tried) / ofTwo) : asked)
}
