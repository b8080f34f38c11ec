import { expect, test } from 'vitest'
import { examine } from '../../../detection/run/examine.ts'
import type { Wrap } from '../../../reference-server/gateway/seams.ts'

test('a gateway that hangs for good once its nodes have failed a few times has stopped, however little time is left', async () => {
  let failures = 0
  const hanging: Wrap = {
    readReply: (real) => (reply, call) => {
      if (reply.status >= 500) failures += 1
      return real(reply, call)
    },
    serve: (real) => async (call) => {
      if (failures < 4) return real(call)
      await new Promise((resolve) => call.left.addEventListener('abort', resolve))
    },
  }
  const selected = ['relay.early-failure-is-no-reply', 'service.survives-the-run'] as const
  const limits = { timeoutMs: 700, durationMsMax: 30_000 }
  const results = await examine({ wraps: [hanging], seed: 1, runs: 5, selected, withNodes: true, ...limits })
  const verdicts = new Map(results.map(({ id, verdict }) => [id, verdict]))
  expect(verdicts.get('service.survives-the-run')).toMatchObject({
    kind: 'fail',
    what: expect.stringContaining('nothing was answered any more when these were under way: POST /chat/completions'),
  })
})
