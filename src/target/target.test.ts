import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Exchange, SentRequest } from '../wire/transcript.ts'
import { type ChatBody, chatRequest } from './chat.ts'
import type { TargetConfig } from './config.ts'
import { createTarget, type Target } from './target.ts'

let server: Server
let target: Target

afterEach(async () => {
  await target.close()
  server.close()
})

/** A gateway that answers every request with this body, in one piece and after a while. */
async function targetOf(body: string, afterMs = 0): Promise<Target> {
  server = createServer((_, response) => void setTimeout(() => response.end(body), afterMs))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const config: TargetConfig = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiPath: '/api/v1',
    keys: {},
    settlingMs: 0,
    headers: [],
    insecure: false,
    timeoutMs: 2000,
    concurrency: 8,
    requestsMax: 100,
    load: false,
    long: false,
    durationMsMax: 60_000,
    runId: 'test',
    version: '0.0.0',
  }
  target = createTarget(config)
  return target
}

const request = { method: 'POST', path: '/chat/completions' } as const
const chunk = 'data: {"choices":[{"delta":{"content":"a"}}]}\r\r'

describe('the target', () => {
  test('takes a stream that it left for one without an end, also where all of it had come', async () => {
    const { stream } = await targetOf(`${chunk}${chunk}data: [DONE]\r\r`)
    const left = await stream(request, { leaveAfterContent: 1 })
    expect(left).toMatchObject({ done: false, content: 'aa', exchange: { ending: 'left' } })
    expect(await stream(request)).toMatchObject({ done: true, content: 'aa', exchange: { ending: 'complete' } })
  })

  test.each([
    ['429', 7, 429, {}],
    ['503 to a plain request', 7, 503, { isPlain: true }],
    ['503 to any other request', 8, 503, {}],
    ['429 to a burst', 8, 429, { burst: true }],
  ] as const)('after a %s, %d requests go at once', async (_, most, status, asked) => {
    const { config } = await targetOf('{}')
    const pending: ((status: number) => void)[] = []
    const answer = (sent: SentRequest, status: number): Exchange => {
      const head = { status, headers: [], atMs: 1 }
      return { id: 1, request: sent, sentAt: 0, head, arrivals: [], ending: 'complete', endedAtMs: 1 }
    }
    const { send, close } = createTarget(config, performance.now(), {
      send: (sent) => new Promise((resolve) => pending.push((status) => resolve(answer(sent, status)))),
      close: async () => {},
    })
    const sent = Array.from({ length: 8 }, () => send({ ...request, ...asked }))
    await vi.waitFor(() => expect(pending.length).toBe(8))
    pending.shift()?.(status)
    await sent[0]
    const more = Array.from({ length: 9 }, () => send(request))
    for (const respond of pending.splice(0)) respond(200)
    await Promise.all(sent)
    await vi.waitFor(() => expect(pending.length).toBe(most), { timeout: 10_000 })
    await delay(200)
    expect(pending.length).toBe(most)
    const respondToAll = setInterval(() => {
      for (const respond of pending.splice(0)) respond(200)
    }, 5)
    await Promise.all(more)
    clearInterval(respondToAll)
    await close()
  })

  /** A target of which each request stays open until the test answers it, or leaves it silent. */
  async function heldTarget() {
    const { config } = await targetOf('{}')
    const pending: { readonly sent: SentRequest; readonly end: (ending: Exchange['ending']) => void }[] = []
    const held = createTarget(config, performance.now(), {
      send: (sent) =>
        new Promise((resolve) => {
          const end = (ending: Exchange['ending']) =>
            resolve({ id: 1, request: sent, sentAt: 0, arrivals: [], ending, endedAtMs: 1 })
          pending.push({ sent, end })
        }),
      close: async () => {},
    })
    return { held, pending }
  }

  test('sends nothing after a silence but plain requests, until one of them is answered as at the start', async () => {
    const { held, pending } = await heldTarget()
    const answers: (number | 'silent')[] = ['silent', 12]
    const asked = vi.fn(async () => answers.shift() ?? 'silent')
    held.recovery.watch({ ask: asked, plainMs: 10, goneMs: 5000, goneUnreachableMs: 5000 })
    const silent = held.send(request)
    await vi.waitFor(() => expect(pending.length).toBe(1))
    pending.shift()?.end('timeout')
    await silent
    const next = held.send(request)
    expect([asked.mock.calls.length, pending.length]).toEqual([0, 0])
    await vi.waitFor(() => expect(pending.length).toBe(1), { timeout: 10_000 })
    expect(asked).toHaveBeenCalledTimes(2)
    pending.shift()?.end('complete')
    await next
    await held.close()
  })

  test.each([
    ['timeout', { max_tokens: 0 }, true],
    ['left', { max_tokens: 1e6 }, true],
    ['left', { max_tokens: 8 }, false],
    ['complete', {}, false],
  ] as const)(
    'behind a reply that is %s, asked for with %j, it waits for a calm target: %s',
    async (ending, body, waits) => {
      const { held, pending } = await heldTarget()
      const asked = vi.fn(async () => 12)
      held.recovery.watch({ ask: asked, plainMs: 10, goneMs: 5000, goneUnreachableMs: 5000 })
      const left = held.send(chatRequest('m', body))
      await vi.waitFor(() => expect(pending.length).toBe(1))
      pending.shift()?.end(ending)
      await left
      expect(held.recovery.mayBeAtWork()).toBe(waits)
      const next = held.send(request)
      await vi.waitFor(() => expect(pending.length).toBe(1))
      expect(asked).toHaveBeenCalledTimes(waits ? 1 : 0)
      pending.shift()?.end('complete')
      await next
      await held.close()
    },
  )

  test('sends a request that goes alone when no other is in flight, and no other beside it', async () => {
    const { held, pending } = await heldTarget()
    const first = held.send(request)
    await vi.waitFor(() => expect(pending.length).toBe(1))
    const alone = held.send({ ...request, path: '/alone', alone: true })
    const last = held.send(request)
    await delay(50)
    expect(pending.length).toBe(1)
    pending.shift()?.end('complete')
    await first
    await vi.waitFor(() => expect(pending.map(({ sent }) => sent.url)).toEqual([held.urlOf('/alone')]))
    await delay(50)
    expect(pending.length).toBe(1)
    pending.shift()?.end('complete')
    await alone
    await vi.waitFor(() => expect(pending.length).toBe(1))
    pending.shift()?.end('complete')
    await last
    await held.close()
  })

  test('waits for a reply as long as its tokens take', async () => {
    const slow = await targetOf('{}', 300)
    slow.patience.adapt({ silenceMsMax: 50, msPerToken: 20 })
    expect((await slow.send(request)).exchange.ending).toBe('timeout')
    const endingOf = async (body: ChatBody | string) => (await slow.send(chatRequest('m', body))).exchange.ending
    expect(await endingOf({ max_tokens: 2 })).toBe('timeout')
    expect(await endingOf('{}')).toBe('timeout')
    for (const limit of [100, 1e308, undefined, null, 0, -1]) {
      expect([limit, await endingOf({ max_tokens: limit })]).toEqual([limit, 'complete'])
    }
  })
})
