import { setTimeout as sleep } from 'node:timers/promises'
import { expect, type TestContext } from 'vitest'
import { type Books, booksOf, unitsOf } from './books.ts'
import type { ChatOutcome, GatewayProcess } from './gateway-process.ts'

/** Trouble of something that the gateway needs, and its end. */
export interface Trouble {
  begin(): void | Promise<void>
  end(): void | Promise<void>
}

/** What `npm run reliability:stores` reads from vitest's report. */
export interface Survival {
  readonly replies: number
  readonly refused: number
  readonly slowestRefusalMs: number
  /** From the end of the trouble to the first reply. */
  readonly backMs: number
}

declare module 'vitest' {
  interface TaskMeta {
    survival?: Survival
  }
}

type TestTask = TestContext['task']

const clients = 8
const troubleMs = 1200
/** A refusal is due within a second; the rest is for a busy machine. */
const answerMsMax = 2500

/** A request that got an answer, or a part of one. */
interface Seen extends ChatOutcome {
  readonly durationMs: number
}

/**
 * Troubles a gateway under load. Clients with credit must see nothing but replies and 503s that come in time and say when
 * to try again; the gateway must say that it is not ready, serve again by itself, print no stack, and have charged each
 * reply once and nothing else.
 */
export async function expectSurvived(
  gateway: GatewayProcess,
  trouble: Trouble,
  { task, limits = {} }: { readonly task: TestTask; readonly limits?: object },
): Promise<void> {
  const { id } = await gateway.control<{ id: string }>('POST', '/accounts', { name: 'troubled', creditUsd: '1000' })
  const { key } = await gateway.control<{ key: string }>('POST', `/accounts/${id}/keys`, {
    name: 'troubled',
    ...limits,
  })
  const load = startLoad(gateway, key)
  await expect.poll(() => load.seen.length).toBeGreaterThan(clients)
  await trouble.begin()
  await expect.poll(() => gateway.ready(), { timeout: 5000 }).toBe(503)
  await sleep(troubleMs)
  await trouble.end()
  const endedMs = performance.now()
  await expect.poll(() => gateway.ready(), { timeout: 10_000 }).toBe(200)
  await expect.poll(async () => (await gateway.chat(key)).status, { timeout: 5000 }).toBe(200)
  const backMs = performance.now() - endedMs
  const seen = await load.stop()

  const refused = seen.filter(({ status }) => status !== 200)
  expect(new Set(refused.map(({ status, retryAfter }) => `${status} ${retryAfter}`))).toEqual(new Set(['503 1']))
  const slowestRefusalMs = Math.max(...refused.map(({ durationMs }) => durationMs))
  expect(slowestRefusalMs).toBeLessThan(answerMsMax)
  expectRightBooks(await booksOf(gateway, id), seen)
  // Only what says of the trouble and of its end, in JSON.
  for (const line of gateway.said) expect(Object.keys(JSON.parse(line))).toEqual(['at', 'trouble'])
  task.meta.survival = { replies: seen.length - refused.length, refused: refused.length, slowestRefusalMs, backMs }
}

/** Each reply is charged once, a stream that broke off included; a charge for anything else was credited back. */
function expectRightBooks({ balance, held, sum, charges, credits }: Books, seen: readonly Seen[]): void {
  const [funding, polled] = [1, 1]
  const replies = seen.filter(({ status }) => status === 200)
  expect(held).toBe('0')
  expect(sum).toBe(unitsOf(balance))
  expect(new Set(charges).size).toBe(charges.length)
  expect(replies.filter(({ requestId }) => !charges.includes(requestId ?? ''))).toEqual([])
  expect(charges.length - (credits - funding)).toBe(replies.length + polled)
}

interface Load {
  readonly seen: readonly Seen[]
  stop(): Promise<readonly Seen[]>
}

/** Clients that ask again and again, half of them for streams. One that is refused waits a moment. */
function startLoad({ chat }: GatewayProcess, key: string): Load {
  const seen: Seen[] = []
  let isOver = false
  const asking = Array.from({ length: clients }, async (_, client) => {
    while (!isOver) {
      const startMs = performance.now()
      const answer = await chat(key, { stream: client % 2 === 0 })
      seen.push({ ...answer, durationMs: performance.now() - startMs })
      if (answer.status !== 200) await sleep(50)
    }
  })
  return {
    seen,
    async stop() {
      isOver = true
      await Promise.all(asking)
      return seen
    },
  }
}
