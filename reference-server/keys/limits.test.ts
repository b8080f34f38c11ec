import { describe, expect, test } from 'vitest'
import type { KeyRecord } from '../store/store.ts'
import { keyLimits, type Reserved } from './limits.ts'

const key: KeyRecord = { id: 'k', accountId: 'a', name: 'k', hash: 'h', createdAt: 0 }
const limited = { ...key, requestsPerMinute: 2, tokensPerMinute: 100 }
const still = { nowMs: () => 1000 }

/** In memory, limits answer at once. */
function reserve(limits: ReturnType<typeof keyLimits>, of: KeyRecord, tokens: number): Reserved {
  const reserved = limits.reserve(of, tokens)
  if (reserved instanceof Promise) throw new Error('limits in memory must not wait')
  return reserved
}

function remaining({ state }: Pick<Reserved, 'state'>): number[] {
  return state.map((limit) => limit.remaining)
}

describe('keyLimits', () => {
  test('a refused request takes nothing', () => {
    const limits = keyLimits(still)
    expect(remaining(reserve(limits, limited, 60))).toEqual([1, 40])
    const refused = reserve(limits, limited, 60)
    expect(refused.refusal).toEqual({ unit: 'tokens', perMinute: 100, waitMs: 12_000 })
    expect(remaining(refused)).toEqual([1, 40])
    expect(limits.refusalOf(limited)).toBeUndefined()
    expect(reserve(limits, limited, 40).refusal).toBeUndefined()
    const spent = { unit: 'requests', perMinute: 2, waitMs: 30_000 }
    expect([reserve(limits, limited, 0).refusal, limits.refusalOf(limited)]).toEqual([spent, spent])
  })

  test('what was reserved and not used comes back; what was used beyond it is owed', () => {
    const limits = keyLimits(still)
    const { reservation } = reserve(limits, limited, 80)
    if (reservation === undefined) throw new Error('the first request is let through')
    limits.commit(reservation, 30)
    expect(remaining({ state: limits.stateOf(limited) })).toEqual([1, 70])
    const second = reserve(limits, limited, 10).reservation
    if (second === undefined) throw new Error('the second request is let through')
    limits.commit(second, 90)
    expect(remaining({ state: limits.stateOf(limited) })).toEqual([0, 0])
  })

  test('a reservation that is given back leaves no trace', () => {
    const limits = keyLimits(still)
    const { reservation } = reserve(limits, limited, 5000)
    expect(reservation?.tokens).toBe(100)
    if (reservation !== undefined) limits.giveBack(reservation)
    expect(remaining({ state: limits.stateOf(limited) })).toEqual([2, 100])
  })

  test('a key whose limits change begins a new minute, and what was taken before is not given back into it', () => {
    const limits = keyLimits(still)
    const { reservation } = reserve(limits, limited, 60)
    const changed = { ...limited, requestsPerMinute: 5 }
    expect(remaining(reserve(limits, changed, 10))).toEqual([4, 90])
    if (reservation === undefined) throw new Error('the first request is let through')
    limits.giveBack(reservation)
    limits.commit(reservation, 10)
    expect(remaining({ state: limits.stateOf(changed) })).toEqual([4, 90])
    expect(reserve(limits, key, 1e9).state).toEqual([])
    expect(remaining({ state: limits.stateOf(limited) })).toEqual([2, 100])
  })

  test('keys do not share limits, and a key without limits has none', () => {
    const limits = keyLimits(still)
    expect(reserve(limits, { ...key, requestsPerMinute: 1 }, 1).refusal).toBeUndefined()
    expect(reserve(limits, { ...key, id: 'other', requestsPerMinute: 1 }, 1).refusal).toBeUndefined()
    for (let count = 0; count < 100; count += 1) {
      const free = reserve(limits, { ...key, id: 'free' }, 1e9)
      expect([free.refusal, free.state]).toEqual([undefined, []])
    }
  })
})
