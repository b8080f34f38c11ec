import { expect, test } from 'vitest'
import { planOf, resultOf } from '../../load/test-tools.ts'
import { gateOf } from './gate.ts'

test('a baseline whose every request failed leaves nothing to compare with, however well the gateway did', () => {
  const whole = resultOf(planOf(''), 10, 20)
  const through = { ...whole, outcomes: { ...whole.outcomes, sent: 10, ok: 10 } }
  const failed = { ...through, outcomes: { ...whole.outcomes, sent: 10, ok: 0, status: 10 } }
  const main = { result: through, runs: [through], confidence: {} }
  const pairs = { through, pairs: 6, added: [], baseUrl: 'http://127.0.0.1:1' }
  expect(gateOf({ main, baseline: { ...pairs, direct: through } }, []).exitCode).toBe(0)
  expect(gateOf({ main, baseline: { ...pairs, direct: failed } }, [])).toEqual({
    exitCode: 3,
    reason: 'No request to --baseline-url succeeded: there is nothing to compare with',
  })
})
