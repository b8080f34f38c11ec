import { describe, expect, test } from 'vitest'
import { createPatience } from './patience.ts'

const plain = { method: 'POST', path: '/chat/completions' } as const

describe('patience', () => {
  test('is as long as the tokens of all replies that are under way should take, twice', () => {
    const patience = createPatience(50)
    patience.adapt({ silenceMsMax: 100, msPerToken: 10 })
    expect(patience.begin(plain)).toBe(100)
    expect(patience.begin({ ...plain, replyTokens: 4 })).toBe(100)
    expect(patience.begin({ ...plain, replyTokens: 64 })).toBe(2 * 68 * 10)
    expect(patience.begin(plain)).toBe(2 * 68 * 10)
    patience.end({ ...plain, replyTokens: 64 })
    expect(patience.begin({ ...plain, replyTokens: 16 })).toBe(2 * 20 * 10)
  })

  test('is a minute at most, and never shorter than it was set to', () => {
    const patience = createPatience(90_000)
    expect(patience.begin({ ...plain, replyTokens: 1024 })).toBe(90_000)
    patience.adapt({ silenceMsMax: 10_000, msPerToken: 1000 })
    expect(patience.begin({ ...plain, replyTokens: 1024 })).toBe(60_000)
    expect(patience.begin({ ...plain, replyTokens: 1024, patienceMs: 5 })).toBe(5)
  })
})
