import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
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

  test.each([429, 503])('sends as few requests at once as are not answered with %d', async (status) => {
    const { send } = await targetOf('{}', 100)
    const respond = server.listeners('request')[0] as RequestListener
    let atOnce = 0
    let refused = 0
    server.removeAllListeners('request').on('request', (asked, response) => {
      if (atOnce === 2) {
        refused += 1
        response.writeHead(status).end()
        return
      }
      atOnce += 1
      response.on('close', () => (atOnce -= 1))
      respond(asked, response)
    })
    await Promise.all(Array.from({ length: 40 }, () => send({ ...request, isPlain: true })))
    // The first eight but two, and one now and then that tries whether there is room for a third.
    expect(refused).toBeLessThan(10)
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
