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
    for (const ms of [250, 500, 1000, 2000, 4000, 4000]) {
      health.note('a', gone)
      health.pass(ms - 1)
      expect([health.isWell('a'), health.unwell()]).toEqual([false, ['a']])
      health.pass(1)
      expect([health.isWell('a'), health.unwell()]).toEqual([true, []])
    }
  })

  test('one good reply forgets all', () => {
    const health = healthAt()
    for (let count = 0; count < 5; count += 1) health.note('a', gone)
    health.note('a', undefined)
    expect(health.isWell('a')).toBe(true)
    health.note('a', gone)
    health.pass(250)
    expect(health.isWell('a')).toBe(true)
  })

  test('a node that answers wrongly has five tries', () => {
    const health = healthAt()
    for (let count = 0; count < 5; count += 1) {
      health.note('a', refusing)
      expect(health.isWell('a')).toBe(true)
    }
    health.note('a', refusing)
    expect([health.isWell('a'), health.isWell('b')]).toEqual([false, true])
  })
})
