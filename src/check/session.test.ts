import { expect, test } from 'vitest'
import { accepts } from '../asking/number-literal.ts'
import type { Answer } from '../target/answer.ts'
import type { Prepared } from '../target/prepare.ts'
import type { Request } from '../target/request.ts'
import type { Target } from '../target/target.ts'
import { createRedactor } from '../wire/redact.ts'
import type { Exchange } from '../wire/transcript.ts'
import { createJournal } from './kept/journal.ts'
import type { Samples } from './kept/samples.ts'
import { createSession } from './session.ts'
import type { Shared } from './shared.ts'

/** A session with a target of this pace, and what its requests asked for. */
function sessionWith(pace: { isSlow?: true }, isQuick = false) {
  const limits: unknown[] = []
  const exchange: Partial<Exchange> = {
    request: { method: 'POST', url: 'http://x', headers: [] },
    ending: 'complete',
    arrivals: [],
    endedAtMs: 1,
  }
  const send = async ({ body }: Request): Promise<Answer> => {
    limits.push(JSON.parse(String(body)).max_tokens)
    return { status: 200, text: '', exchange } as Partial<Answer> as Answer
  }
  const prepared: Partial<Prepared> = { model: 'small', roster: [], works: { json: true, stream: true }, ...pace }
  const shared: Partial<Shared> = {
    target: { send, remainingMs: () => 1000, config: { settlingMs: 0 } } as Partial<Target> as Target,
    prepared: prepared as Prepared,
    redactor: createRedactor(),
    journal: createJournal(),
    samples: {} as Samples,
    once: new Map(),
    randomness: { seed: 1, runs: 1, isQuick },
    confirmedIncomplete: new WeakSet(),
    keepAll: true,
    steadiness: { passed: 0, remainingMs: () => 1000 },
    nonce: () => 'n0',
  }
  return { context: createSession(shared as Shared).context, limits }
}

test.each([
  [{}, 8],
  [{ isSlow: true } as const, 4],
])(
  'a brief question to a target of the pace %j is one for %i tokens, unless a check says how many',
  async (pace, brief) => {
    const { context, limits } = sessionWith(pace)
    await context.ask()
    await context.ask({ max_tokens: 16 })
    await context.ask({ max_tokens: undefined })
    await accepts(context, 'temperature', '1.0', 'json')
    expect(limits).toEqual([brief, 16, undefined, brief])
  },
)

test('of values that are served with a reply each, a slow target is asked every third', () => {
  const values = [1, 2, 3, 4, 5, 6, 7]
  const slow = sessionWith({ isSlow: true }).context
  expect([slow.fewServed(values), slow.few(values)]).toEqual([[1, 4, 7], values])
  expect(sessionWith({}).context.fewServed(values)).toEqual(values)
  expect(sessionWith({ isSlow: true }, true).context.fewServed(values)).toEqual([1, 7])
})
