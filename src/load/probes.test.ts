import { describe, expect, test } from 'vitest'
import { createEngine, type EngineResult } from './engine/engine.ts'
import { monotonicMs } from './engine/monotonic.ts'
import { statsOf } from './figures/histogram.ts'
import { mergeResults } from './figures/result.ts'
import type { LoadPlan } from './schedule/plan.ts'
import {
  type Answerer,
  doneEvent,
  event,
  framed,
  lastChunk,
  planOf,
  startByteServer,
  streamHead,
  wholeStream,
} from './test-tools.ts'

/** What general load tools get wrong about streams, each with a server that shows it. */
async function load(answer: Answerer, changes: Partial<LoadPlan>): Promise<EngineResult> {
  const server = await startByteServer(answer)
  try {
    return await runEngine(planOf(server.url, changes))
  } finally {
    await server.close()
  }
}

async function runEngine(plan: LoadPlan): Promise<EngineResult> {
  const engine = createEngine(plan, { shard: 0, shards: 1 })
  engine.warm()
  return engine.run(monotonicMs() + 30)
}

/** Writes pieces one after the other, as the last of which the reply is whole. */
function paced(socket: Parameters<Answerer>[0], pieces: readonly string[], everyMs: number): void {
  pieces.forEach((piece, index) => {
    setTimeout(() => socket.write(piece), index * everyMs)
  })
}

const ok: Answerer = (socket) => {
  socket.write(wholeStream(['a', 'b']))
  return 'ok'
}

describe('the load engine', () => {
  test('a stream that is longer than the limit of silence is whole while it speaks', async () => {
    const pieces = [streamHead, ...'abcdefgh'.split('').map((one) => framed(event(one))), framed(doneEvent) + lastChunk]
    const result = await load(
      (socket) => {
        paced(socket, pieces, 60)
        return 'ok'
      },
      { requestsMax: 2, limits: { connectMs: 1000, headMs: 300, firstContentMs: 300, idleMs: 300, totalMs: 5000 } },
    )
    expect(result.outcomes).toMatchObject({ sent: 2, ok: 2 })
  })

  test.each([
    ['headTimeout', ''],
    ['firstContentTimeout', streamHead + framed(': waiting\n\n')],
    ['idleTimeout', streamHead + framed(event('a'))],
  ] as const)('silence is called %s by where it falls', async (outcome, said) => {
    const result = await load(
      (socket) => {
        if (said !== '') socket.write(said)
        return outcome
      },
      { requestsMax: 2, limits: { connectMs: 500, headMs: 100, firstContentMs: 100, idleMs: 100, totalMs: 5000 } },
    )
    expect(result.outcomes).toMatchObject({ sent: 2, [outcome]: 2 })
  })

  test('a stream that never ends is over at the total limit', async () => {
    const result = await load(
      (socket) => {
        socket.write(streamHead)
        const timer = setInterval(() => socket.write(framed(event('more '))), 10)
        socket.on('close', () => clearInterval(timer))
        return 'totalTimeout'
      },
      { requestsMax: 1, limits: { connectMs: 500, headMs: 500, firstContentMs: 500, idleMs: 500, totalMs: 200 } },
    )
    expect(result.outcomes).toMatchObject({ sent: 1, totalTimeout: 1 })
  })

  test('replies of 500 ms at 10 a second take 500 ms from the send, and behind a stall what users waited', async () => {
    const [replyMs, everyMs, count, lanes, stallMs] = [500, 100, 40, 6, 2000]
    let firstAtMs = Number.NaN
    /** The server does nothing between its second and its fourth second; what comes or is due then is answered after it. */
    const stallFromMs = 1000
    const release = (ms: number): number =>
      ms >= stallFromMs && ms < stallFromMs + stallMs ? stallFromMs + stallMs : ms
    const result = await load(
      (socket) => {
        const nowMs = monotonicMs()
        if (Number.isNaN(firstAtMs)) firstAtMs = nowMs
        const doneMs = release(nowMs - firstAtMs + replyMs)
        setTimeout(() => socket.write(wholeStream(['a', 'b'])), firstAtMs + doneMs - nowMs)
        return 'ok'
      },
      {
        arrivals: {
          kind: 'open',
          process: 'constant',
          stages: [{ durationMs: count * everyMs, from: 1000 / everyMs, to: 1000 / everyMs }],
          connectionsMax: lanes,
        },
        durationMs: count * everyMs,
        limits: { connectMs: 5000, headMs: 9000, firstContentMs: 9000, idleMs: 9000, totalMs: 20_000 },
      },
    )
    // The same by hand: requests wait for the first connection that is free.
    const freeAtMs = Array.from({ length: lanes }, () => 0)
    const expected = Array.from({ length: count }, (_, index) => {
      const dueMs = index * everyMs
      const lane = freeAtMs.indexOf(Math.min(...freeAtMs))
      const sentMs = Math.max(dueMs, freeAtMs[lane] ?? 0)
      const endMs = release(sentMs + replyMs)
      freeAtMs[lane] = endMs
      return { service: endMs - sentMs, response: endMs - dueMs }
    })
    const { outcomes, metrics } = mergeResults(planOf('http://x'), { results: [result], lost: [] })
    expect(outcomes).toMatchObject({ sent: count, ok: count })
    const sorted = (view: 'service' | 'response'): number[] => expected.map((one) => one[view]).sort((a, b) => a - b)
    for (const view of ['service', 'response'] as const) {
      const known = sorted(view)
      expect(Math.abs(metrics.e2e[view].p50 - (known[count / 2 - 1] ?? 0)), `${view} p50`).toBeLessThan(120)
      expect(Math.abs(metrics.e2e[view].max - (known.at(-1) ?? 0)), `${view} max`).toBeLessThan(120)
    }
    expect(Math.abs(metrics.e2e.service.p50 - replyMs)).toBeLessThan(60)
    expect(metrics.e2e.response.max).toBeGreaterThan(stallMs)
  })

  test('an open rate is kept when replies are slower than it, for the pool grows', async () => {
    const result = await load(
      (socket) => {
        setTimeout(() => socket.write(wholeStream(['a'])), 300)
        return 'ok'
      },
      {
        arrivals: {
          kind: 'open',
          process: 'constant',
          stages: [{ durationMs: 500, from: 60, to: 60 }],
          connectionsMax: 100,
        },
        durationMs: 500,
      },
    )
    expect(result.outcomes).toMatchObject({ sent: 30, ok: 30 })
    expect(result.unsent).toBe(0)
  })

  test('what is in flight at the end is awaited, and what is not over then is counted', async () => {
    const answer: Answerer = (socket, number) => {
      // Half of them end in time.
      setTimeout(() => socket.write(wholeStream(['a'])), number % 2 === 0 ? 200 : 60_000)
      return ''
    }
    const result = await load(answer, {
      arrivals: { kind: 'closed', connections: 10 },
      durationMs: 100,
      drainMs: 600,
      limits: { connectMs: 1000, headMs: 90_000, firstContentMs: 90_000, idleMs: 90_000, totalMs: 90_000 },
    })
    expect(result.outcomes).toMatchObject({ sent: 10, ok: 5, abandoned: 5 })
  })

  test('text that is cut inside a code point is whole', async () => {
    const bytes = Buffer.from(wholeStream(['Zoë ', '日本語', '👩‍💻', 'ë']))
    const result = await load(
      (socket) => {
        let at = 0
        const timer = setInterval(() => {
          socket.write(bytes.subarray(at, at + 7))
          at += 7
          if (at >= bytes.length) clearInterval(timer)
        }, 1)
        return 'ok'
      },
      { requestsMax: 3, validateShare: 1 },
    )
    expect(result.outcomes).toMatchObject({ sent: 3, ok: 3 })
    expect(result.events).toBe(3 * 5)
  })

  test('latencies under a millisecond are not zero', async () => {
    const result = await load(ok, { requestsMax: 200 })
    expect(statsOf([result.steady['e2e.service'] ?? '']).p50).toBeGreaterThan(0)
  })

  test('errors stay out of the latencies', async () => {
    const result = await load(
      (socket, number) => {
        if (number % 2 === 0) socket.write('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n')
        else setTimeout(() => socket.write(wholeStream(['a'])), 80)
        return ''
      },
      { requestsMax: 20 },
    )
    expect(result.outcomes).toMatchObject({ ok: 10, http503: 10 })
    expect(statsOf([result.steady['e2e.service'] ?? ''])).toMatchObject({ count: 10 })
    expect(statsOf([result.steady['e2e.service'] ?? '']).min).toBeGreaterThan(75)
  })

  test('a refused connection is tried again with pauses that grow', async () => {
    const server = await startByteServer(ok)
    await server.close()
    const result = await runEngine(
      planOf(server.url, { arrivals: { kind: 'closed', connections: 10 }, durationMs: 1000 }),
    )
    expect(result.outcomes.sent).toBe(result.outcomes.connect)
    // Ten connections with pauses of 20, 40, 80, 160, 320 and 640 ms.
    expect(result.outcomes.sent).toBeLessThanOrEqual(70)
    expect(result.outcomes.sent).toBeGreaterThanOrEqual(10)
  })

  test('bytes that are no HTTP are named', async () => {
    const result = await load(
      (socket) => {
        socket.write('220 smtp.example ESMTP\r\n')
        return 'framing'
      },
      { requestsMax: 4 },
    )
    expect(result.outcomes).toMatchObject({ sent: 4, framing: 4 })
  })

  test('clients that leave are counted as such, and no longer read', async () => {
    const result = await load(
      (socket) => {
        socket.write(streamHead)
        const timer = setInterval(() => socket.write(framed(event('more '))), 2)
        socket.on('close', () => clearInterval(timer))
        return ''
      },
      { requestsMax: 12, leavingShare: 1 },
    )
    expect(result.outcomes).toMatchObject({ sent: 12, abortedByUs: 12 })
  })

  test('JSON replies are judged and timed too', async () => {
    const reply = JSON.stringify({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'small',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    })
    const result = await load(
      (socket, number) => {
        const body = number % 2 === 0 ? reply : '{"choices":"none"}'
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        )
        return ''
      },
      { requestsMax: 10, stream: false },
    )
    expect(result.outcomes).toMatchObject({ sent: 10, ok: 5, schema: 5 })
    expect(result).toMatchObject({ tokens: 10, promptTokens: 15, counted: 5 })
  })

  test('the parts of several shards are the whole schedule', async () => {
    const arrivals = {
      kind: 'open',
      process: 'poisson',
      stages: [{ durationMs: 400, from: 100, to: 100 }],
      connectionsMax: 50,
    } as const
    const server = await startByteServer(ok)
    try {
      const plan = planOf(server.url, { arrivals, durationMs: 400 })
      const engines = [0, 1, 2].map((shard) => createEngine(plan, { shard, shards: 3 }))
      const whole = createEngine(plan, { shard: 0, shards: 1 })
      const startAtMs = monotonicMs() + 50
      const parts = await Promise.all(engines.map((engine) => engine.run(startAtMs)))
      const one = await whole.run(monotonicMs() + 30)
      expect(parts.reduce((sum, { outcomes }) => sum + outcomes.sent, 0)).toBe(one.outcomes.sent)
    } finally {
      await server.close()
    }
  })
})
