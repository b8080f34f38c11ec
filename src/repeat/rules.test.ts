import { describe, expect, test } from 'vitest'
import { createChance } from '../load/schedule/chance.ts'
import { finding, inTurnUntil, untilRight } from './repeat.ts'
import { type Rule, ruleFor, rules } from './rules.ts'

const targets = 20_000

/** The share of targets that a rule blames, each wrong by itself with the same probability, whatever the request. */
async function blamed(rule: Rule, chance: number, seed = 1): Promise<number> {
  const { unit } = createChance(seed)
  const isWrong = async (): Promise<boolean> => unit() < chance
  let wrong = 0
  for (let target = 0; target < targets; target += 1)
    if ((await finding(rule, isWrong, isWrong)) === 'wrong') wrong += 1
  return wrong / targets
}

describe('a target that is wrong only by chance is blamed no more often than the rule says', () => {
  test.each(Object.entries<Rule>(rules))('%s', async (_, rule) => {
    const share = await blamed(rule, rule.chance)
    // Three standard errors of the simulation itself.
    const noise = 3 * Math.sqrt((rule.errorMax * (1 - rule.errorMax)) / targets)
    expect(share).toBeLessThanOrEqual(rule.errorMax + noise)
  })
})

describe('with controls, even a target worse than the rule was made for is not blamed', () => {
  const controlled = Object.entries<Rule>(rules).filter(([, { controls }]) => controls !== undefined)
  test.each(controlled)('%s', async (_, rule) => {
    for (const chance of [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 1]) expect(await blamed(rule, chance, 7)).toBeLessThan(0.02)
  })
})

test('every rule blames a target that is always wrong, and right on plain requests', async () => {
  for (const rule of Object.values<Rule>(rules))
    expect(
      await finding(
        rule,
        async () => true,
        async () => false,
      ),
    ).toBe('wrong')
})

test('an unsteady target is asked more often', () => {
  expect(ruleFor(rules.lastRequest, true).times).toBeGreaterThan(ruleFor(rules.lastRequest, false).times)
})

test('asking ends at the first right answer, or after the last wrong one', async () => {
  const asked: number[] = []
  const ask = async (turn: number): Promise<number> => {
    asked.push(turn)
    return turn
  }
  expect(await untilRight({ times: 5 }, ask, (answer) => answer === 2)).toBe(2)
  expect(await untilRight({ times: 2 }, ask, () => false)).toBe(1)
  expect(await inTurnUntil(9, ask, (answer) => answer === 1)).toEqual([0, 1])
  expect(asked).toEqual([0, 1, 2, 0, 1, 0, 1])
})
