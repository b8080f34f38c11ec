import { describe, expect, test } from 'vitest'
import { nodeRecords } from './records.ts'

const seen = { method: 'POST', path: '/', headers: {}, arrivedAtMs: 0 }

describe('records', () => {
  test('are the newest ten thousand', () => {
    const records = nodeRecords()
    for (let count = 0; count < 12_345; count += 1) records.begin(seen)
    const list = records.list()
    expect([list.length, list[0]?.number, list.at(-1)?.number]).toEqual([10_000, 2_346, 12_345])
  })

  test('of long bodies are fewer', () => {
    const records = nodeRecords()
    const body = 'a'.repeat(100 * 1024 * 1024)
    for (let count = 0; count < 4; count += 1) records.begin(seen).body = body
    expect(records.list().map(({ number }) => number)).toEqual([3, 4])
  })

  test('can be asked for by script, show what is under way, and are forgotten', () => {
    const records = nodeRecords()
    const open = records.begin(seen)
    records.begin(seen)
    open.scriptId = 'a'
    expect(records.list('a')).toMatchObject([{ number: 1, outcome: 'under-way' }])
    open.outcome = 'complete'
    expect(records.list('a')).toMatchObject([{ outcome: 'complete' }])
    records.clear()
    expect(records.list()).toEqual([])
  })
})
