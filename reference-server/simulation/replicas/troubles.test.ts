import { expect, test } from 'vitest'
import type { Process } from '../scene.ts'
import { Troubles } from './troubles.ts'

const one = { name: 'one' } as Process
const other = { name: 'other' } as Process

type Spell = readonly [of: Process | undefined, fromMs: number, toMs: number]

test.each<[what: string, wasAway: boolean, spells: readonly Spell[]]>([
  ['no trouble', false, []],
  ['a trouble of a second', true, [[one, 0, 1000]]],
  ['a shorter one', false, [[one, 0, 999]]],
  ['trouble of another process', false, [[other, 0, 3000]]],
  ['trouble of the database only', false, [[undefined, 0, 3000]]],
  [
    'two of half a second with no time to renew between them',
    true,
    [
      [one, 800, 1200],
      [one, 0, 600],
    ],
  ],
  [
    'the same two further apart',
    false,
    [
      [one, 0, 600],
      [one, 1200, 1800],
    ],
  ],
  [
    'a short one while the database is paused',
    true,
    [
      [undefined, 0, 1200],
      [one, 400, 600],
    ],
  ],
  [
    'a short one long after the database was paused',
    false,
    [
      [undefined, 0, 1200],
      [one, 2000, 2200],
    ],
  ],
])('after %s a process may have been away: %s', (_, wasAway, spells) => {
  const troubles = new Troubles()
  for (const [of, fromMs, toMs] of spells) troubles.note({ of, fromMs, toMs })
  expect(troubles.mayHaveBeenAway(one)).toBe(wasAway)
})
