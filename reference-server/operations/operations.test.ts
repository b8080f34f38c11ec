import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../main.ts'
import type { EndedRequest } from './activity.ts'

const ended: EndedRequest[] = []
let gateway: RunningGateway
beforeAll(async () => {
  gateway = await startGateway({ demo: true, control: {}, metrics: {}, onRequest: (request) => ended.push(request) })
})
afterAll(() => gateway.close())

const look = (path: string): Promise<Response> => fetch(`${gateway.metricsUrl}${path}`)

function chat(model: string, key = gateway.demo?.apiKey): Promise<Response> {
  return fetch(`${gateway.baseUrl}/api/v1/chat/completions?secret=in-a-query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'A private word.' }], max_tokens: 4 }),
  })
}

/** The value of a sample by its name and labels. */
async function sample(name: string): Promise<number> {
  const line = (await (await look('/metrics')).text()).split('\n').find((one) => one.startsWith(`${name} `))
  return Number(line?.split(' ')[1])
}

describe('what runs a gateway', () => {
  test('counts answers, tokens and durations', async () => {
    const before = await sample('assay_requests_total')
    await (await chat('small')).text()
    await (await chat('nothing')).text()
    await expect.poll(() => sample('assay_answers_total{status="4xx"}')).toBe(1)
    expect((await sample('assay_requests_total')) - before).toBe(2)
    expect(await sample('assay_answers_total{status="2xx"}')).toBe(1)
    expect(await sample('assay_tokens_total')).toBeGreaterThan(4)
    expect(await sample('assay_requests_in_flight')).toBe(0)
    expect(await sample('assay_request_seconds_bucket{le="60"}')).toBe(2)
    expect(await sample('assay_model_served{model="dormant"}')).toBe(0)
  })

  test('has every sample after its type, and no name twice', async () => {
    const { headers } = await look('/metrics')
    expect(headers.get('content-type')).toContain('version=0.0.4')
    const lines = (await (await look('/metrics')).text()).trimEnd().split('\n')
    const types = lines.filter((line) => line.startsWith('# TYPE ')).map((line) => line.split(' ')[2] ?? '')
    expect(new Set(types).size).toBe(types.length)
    for (const line of lines.filter((one) => !one.startsWith('#'))) {
      const [, name = ''] = /^(\w+?)(?:_bucket|_sum|_count)?(?:\{[^}]*\})? [\d.e+-]+$/.exec(line) ?? []
      expect(types, line).toContain(name)
    }
  })

  test('is told of requests without what was said, and without a key', async () => {
    ended.length = 0
    await (await chat('small')).text()
    await expect.poll(() => ended).toHaveLength(1)
    expect(ended[0]).toMatchObject({
      method: 'POST',
      path: '/api/v1/chat/completions',
      status: 200,
      model: 'small',
      left: false,
    })
    expect(ended[0]?.requestId).toMatch(/^req_/)
    expect(ended[0]?.keyId).toBe(gateway.demo?.apiKey.split('-')[2])
    expect(JSON.stringify(ended)).not.toMatch(new RegExp(`private|in-a-query|${gateway.demo?.apiKey}`))
  })

  test('is ready while a node serves, and healthy in any case', async () => {
    const put = (id: string, state: string) =>
      fetch(`${gateway.control?.url}/control/v1/models/${id}/nodes`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${gateway.control?.token}` },
        body: JSON.stringify({ state }),
      })
    expect((await look('/ready')).status).toBe(200)
    for (const id of ['small', 'medium', 'large']) await put(id, 'down')
    const answer = await look('/ready')
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({ status: 'not ready', reason: 'no node serves a model' })
    expect((await look('/health')).status).toBe(200)
    for (const id of ['small', 'medium', 'large']) await put(id, 'up')
    expect((await look('/nothing')).status).toBe(404)
  })
})
