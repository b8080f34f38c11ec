import { describe, expect, test } from 'vitest'
import { nodeHealth } from './health.ts'
import { NodeFailure } from './node-failure.ts'

const gone = new NodeFailure('unreachable', 'gone')
const refusing = new NodeFailure('status', 'refusing')

function healthAt() {
  let nowMs = 0
  const health = nodeHealth({ nowMs: () => nowMs })
  return {
    ...health,
    pass(ms: number) {
      nowMs += ms
    },
  }
}

describe('nodeHealth', () => {
  test('a node that cannot be reached is rested for twice as long each time, up to a bound', () => {
    const health = healthAt()
    for (const ms of [50, 100, 200, 400, 800, 1600, 3200, 4000, 4000]) {
      health.note('a', gone)
      health.pass(ms - 1)
      expect(health.isRested('a')).toBe(true)
      health.pass(1)
      expect(health.isRested('a')).toBe(false)
    }
  })

  test('a node that was rested is lost until it answers, however long its rest is over', () => {
    const health = healthAt()
    health.note('a', gone)
    health.pass(60_000)
    expect([health.isRested('a'), health.isLost('a'), health.lost()]).toEqual([false, true, ['a']])
    health.note('a', undefined)
    expect([health.isLost('a'), health.lost()]).toEqual([false, []])
  })

  test('a node that refuses what it is asked is never rested', () => {
    const health = healthAt()
    for (let refusal = 0; refusal < 20; refusal += 1) health.note('a', new NodeFailure('refused', 'too long'))
    expect([health.isRested('a'), health.isLost('a')]).toEqual([false, false])
  })

  test('one good reply forgets all', () => {
    const health = healthAt()
    for (let count = 0; count < 5; count += 1) health.note('a', gone)
    health.note('a', undefined)
    expect(health.isRested('a')).toBe(false)
    health.note('a', gone)
    health.pass(250)
    expect(health.isRested('a')).toBe(false)
  })

  test('a node that answers wrongly has five tries', () => {
    const health = healthAt()
    for (let count = 0; count < 5; count += 1) {
      health.note('a', refusing)
      expect([health.isRested('a'), health.isLost('a')]).toEqual([false, false])
    }
    health.note('a', refusing)
    expect([health.isRested('a'), health.isLost('a'), health.isRested('b')]).toEqual([true, true, false])
  })
})
