import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGatewayProcess } from '../integration/gateway-process.ts'
import { type RunningGateway, startGateway } from '../main.ts'

const refusalsPerMinute = 2
let gateway: RunningGateway
beforeAll(async () => {
  gateway = await startGateway({ demo: true, metrics: {}, refusalsPerMinute })
})
afterAll(() => gateway.close())

const chat = (key = '', model = 'small'): Promise<Response> =>
  fetch(`${gateway.baseUrl}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  })

interface Answer {
  readonly status: number
  /** What it says about when to ask again; 0 for nothing. */
  readonly waitS: number
  readonly text: string
}

/** The answers to so many requests, one after the other. */
async function hammered(times: number, ask: () => Promise<Response>): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let time = 0; time < times; time += 1) {
    const answer = await ask()
    const waitS = Number(answer.headers.get('retry-after') ?? 0)
    answers.push({ status: answer.status, waitS, text: await answer.text() })
  }
  return answers
}

describe('a client that asks again and again', () => {
  test('is told to wait longer each time, and others are served as ever', async () => {
    const { apiKey, secondKey, unfundedKey, unavailableModel } = gateway.demo ?? {}
    const some = await Promise.all([
      hammered(4, () => chat(apiKey, unavailableModel)),
      hammered(4, () => chat(unfundedKey)),
      hammered(4, () => chat('sk-assay-unknown')),
    ])
    expect(some.map((answers) => answers.map(({ status }) => status))).toEqual([
      [503, 503, 503, 503],
      [402, 402, 402, 402],
      [401, 401, 401, 401],
    ])
    const usual = [1, 0, 0]
    for (const [index, answers] of some.entries()) {
      const [first, second, third = 0, fourth = 0] = answers.map(({ waitS }) => waitS)
      expect([first, second]).toEqual([usual[index], usual[index]])
      expect(third).toBeGreaterThan(1)
      expect(fourth).toBeGreaterThan(third)
      expect(answers[3]?.text).toContain(`wait ${fourth} s before the next one`)
    }
    const metrics = await (await fetch(`${gateway.metricsUrl}/metrics`)).text()
    expect(metrics).toMatch(/^assay_refusals_delayed_total 6$/m)
    expect(await hammered(1, () => chat(secondKey, unavailableModel))).toMatchObject([{ status: 503, waitS: 1 }])
    expect(await hammered(1, () => chat(apiKey))).toMatchObject([{ status: 200, waitS: 0 }])
  })
})

test('a key that has spent its requests is refused before anything of a body is read', async () => {
  const key = gateway.demo?.limitedKey
  const spending = await hammered(5, () => chat(key))
  expect(spending.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  const { hostname, port } = new URL(gateway.baseUrl)
  const socket = connect(Number(port), hostname)
  const head = ['host: a', `authorization: Bearer ${key}`, 'content-length: 5000000']
  socket.write(`POST /api/v1/chat/completions HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
  const [answer]: Buffer[] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 429 /)
  expect(String(answer)).toMatch(/\r\nretry-after: \d+\r\n/)
  socket.destroy()
})

test('how often somebody may be refused is an option of the command', async () => {
  const running = await startGatewayProcess(['--store', 'memory', '--dashboard', 'off', '--refusals-per-minute', '1'])
  const waits = [await running.chat('sk-assay-unknown'), await running.chat('sk-assay-unknown')]
  await running.kill()
  expect(waits).toMatchObject([
    { status: 401, retryAfter: null },
    { status: 401, retryAfter: expect.stringMatching(/^\d+$/) },
  ])
})
