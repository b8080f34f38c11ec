import { describe, expect, test } from 'vitest'
import { faults } from '../../detection/faults/index.ts'
import { variants } from '../../detection/variants/index.ts'
import type { Wrap } from '../../reference-server/gateway/seams.ts'
import { type ProbeName, type ProbeResult, runProbe } from '../../src/load/probes.ts'
import { planOf } from '../../src/load/test-tools.ts'
import { startEmbedded } from '../../src/run/embedded.ts'
import { createTarget } from '../../src/target/target.ts'

/** Probes a reference gateway, honest except for what is wrapped around it. */
async function probe(
  name: ProbeName,
  wraps: readonly Wrap[],
  { durationMs = 1000, signal = new AbortController().signal } = {},
): Promise<ProbeResult> {
  const embedded = await startEmbedded({ wraps, withNodes: false })
  const { baseUrl, apiPath, keys } = embedded.known
  const target = createTarget({
    ...embedded.known,
    settlingMs: 400,
    headers: [],
    insecure: false,
    timeoutMs: 5000,
    concurrency: 8,
    requestsMax: 1000,
    load: true,
    long: false,
    durationMsMax: 60_000,
    runId: 'probe',
    version: '0',
  })
  const control = target.control(() => undefined)
  try {
    const plan = planOf(`${baseUrl}${apiPath}/chat/completions`, {
      arrivals: {
        kind: 'open',
        process: 'constant',
        stages: [{ durationMs, from: 100, to: 100 }],
        connectionsMax: 20,
      },
      durationMs,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${keys.main}` },
    })
    const model = { id: 'small', promptPrice: 0.1, completionPrice: 0.1 }
    return await runProbe(name, { plan, control, model, settlingMs: 400, signal })
  } finally {
    await control.undo()
    await target.close()
    await embedded.close()
  }
}

describe('a probe under load', () => {
  test.each(['billing', 'revocation', 'nodes', 'limits', 'deploy'] as const)(
    'passes the reference gateway: %s',
    async (name) => {
      const { verdict, said } = await probe(name, [])
      expect(verdict, said).toBe('pass')
    },
  )

  test.each([
    ['billing', 'stream-is-free'],
    ['billing', 'stream-charged-twice'],
    ['billing', 'usage-without-streams'],
    ['revocation', 'deleted-key-works-for-a-while'],
    ['revocation', 'deleted-key-works-for-ever'],
    ['revocation', 'deleted-key-works-in-streams'],
    ['limits', 'limit-is-not-enforced'],
    ['limits', 'limit-of-the-account'],
    ['limits', 'streams-pass-the-limit'],
    ['deploy', 'restart-drops-new-requests'],
  ] as const)('%s fails a gateway whose %s', async (name, fault) => {
    const { verdict, said } = await probe(name, [faults[fault].wrap()])
    expect(verdict, said).toBe('fail')
  })

  test.each(['billing', 'limits'] as const)('%s starts no more requests once the run is stopped', async (name) => {
    const stop = new AbortController()
    const stopping: Wrap = {
      serve: (real) => (call) => {
        stop.abort()
        return real(call)
      },
    }
    const { said } = await probe(name, [stopping], { durationMs: 600_000, signal: stop.signal })
    expect(said).not.toBe('')
  })

  test('nodes fails a gateway that goes on serving a model without nodes', async () => {
    const onwards: Wrap = {
      chooseNode: (real) => {
        let last: ReturnType<typeof real> | undefined
        return (model, call) => {
          last = real(model, call) ?? last
          return last
        }
      },
    }
    const { verdict, said } = await probe('nodes', [onwards])
    expect(verdict, said).toBe('fail')
  })

  test('deploy counts what became of the requests, and passes a gateway that cuts its streams visibly', async () => {
    const { verdict, said, counts } = await probe('deploy', [variants['restart-cuts-streams'].wrap()])
    expect(verdict, said).toBe('pass')
    expect(counts).toMatchObject({ 'ended as if complete': 0, 'taken and not answered': 0 })
    expect(counts?.['requests of the load']).toBeGreaterThan(50)
    expect(counts?.['asked on new connections meanwhile']).toBeGreaterThan(0)
    expect(counts?.['recovered after ms']).toBeGreaterThanOrEqual(0)
  })
})
