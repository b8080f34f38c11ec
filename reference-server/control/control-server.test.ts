import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type RunningGateway, startGateway } from '../main.ts'
import { routes } from './control-routes.ts'

type Json = Readonly<Record<string, never>>
interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, { readonly content?: Json }>>
}

const openapi = parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'fixtures', 'control', 'openapi.yaml'), 'utf8'),
) as { paths: Record<string, Record<string, Operation>>; components: object }
const methods = ['get', 'post', 'put', 'delete']
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'openapi', ...openapi })

let gateway: RunningGateway
beforeAll(async () => {
  gateway = await startGateway({ demo: true, control: {} })
})
afterAll(() => gateway.close())

/** Calls an operation and holds the answer against the schema of its status. */
async function call(method: string, path: string, body?: unknown, token = gateway.control?.token) {
  const response = await fetch(`${gateway.control?.url}/control/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const json = text === '' ? undefined : JSON.parse(text)
  const template = Object.keys(openapi.paths).find((one) =>
    new RegExp(`^${one.replace(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?')[0] ?? ''),
  )
  const own = template === undefined ? undefined : openapi.paths[template]?.[method.toLowerCase()]
  const pointer = `#/paths/${template?.replaceAll('/', '~1')}/${method.toLowerCase()}/responses/${response.status}/content/application~1json/schema`
  if (own?.responses[String(response.status)]?.content !== undefined) {
    const validate = ajv.getSchema(`openapi${pointer}`)
    expect([validate?.(json), validate?.errors]).toEqual([true, null])
  } else if (json !== undefined) expect(json.error.message).toEqual(expect.any(String))
  return { status: response.status, json }
}

describe('the control API', () => {
  test('serves what its description says, and nothing else', () => {
    const described = Object.entries(openapi.paths).flatMap(([path, own]) =>
      methods.filter((method) => method in own).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(routes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(described.sort())
  })

  test('opens, funds and closes accounts, makes and deletes keys, and shows books that balance', async () => {
    expect((await call('GET', '/health')).json).toEqual({ status: 'ok' })
    const { json: opened } = await call('POST', '/accounts', { name: 'Zoë "quoted"', creditUsd: '2.5' })
    const path = `/accounts/${opened.id}`
    const { json: made } = await call('POST', `${path}/keys`, { name: 'k', requestsPerMinute: 100 })
    for (let turn = 0; turn < 3; turn += 1) {
      const response = await fetch(`${gateway.baseUrl}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${made.key}` },
        body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 3 }),
      })
      expect(response.status).toBe(200)
      await response.text()
    }
    expect((await call('POST', `${path}/credit`, { amountUsd: '0.000000000001' })).json.amountUsd).toBe(
      '0.000000000001',
    )
    const ids: string[] = []
    let [sum, after] = [0, '0']
    for (;;) {
      const { json: page } = await call('GET', `${path}/entries?limit=2&after=${after}`)
      for (const { id, amount } of page.entries) {
        ids.push(id)
        sum += Number(amount)
      }
      if (page.next === undefined) break
      after = page.next
    }
    expect(ids).toEqual(['1', '2', '3', '4', '5'])
    const { json: account } = await call('GET', path)
    expect([account.name, account.held]).toEqual(['Zoë "quoted"', '0'])
    expect(Number(account.balance)).toBeCloseTo(sum, 12)
    const { json: usage } = await call('GET', `/keys/${made.id}/usage`)
    expect([usage.requests, JSON.stringify([account, usage]).includes(made.key)]).toEqual([3, false])
    expect((await call('DELETE', `/keys/${made.id}`)).status).toBe(204)
    expect((await call('DELETE', path)).status).toBe(204)
    expect((await call('GET', path)).status).toBe(404)
  })

  test('lists keys without their values, changes them, and rotates them', async () => {
    const { json: opened } = await call('POST', '/accounts', { name: 'a' })
    const path = `/accounts/${opened.id}`
    const { json: made } = await call('POST', `${path}/keys`, { name: 'old name', requestsPerMinute: 100 })
    expect((await call('PUT', `/keys/${made.id}`, { name: 'new name', tokensPerMinute: 9000 })).status).toBe(204)
    const { json: next } = await call('POST', `/keys/${made.id}/rotation`, {})
    expect(next.key).not.toBe(made.key)
    const { json: listed } = await call('GET', `${path}/keys`)
    const terms = { name: 'new name', tokensPerMinute: 9000, createdAt: expect.any(String) }
    expect(listed.keys).toEqual([
      { id: made.id, ...terms },
      { id: next.id, ...terms },
    ])
    for (const { key } of [made, next]) {
      const response = await fetch(`${gateway.baseUrl}/api/v1/models`, { headers: { authorization: `Bearer ${key}` } })
      expect(response.status).toBe(200)
    }
    await call('DELETE', `/keys/${made.id}`)
    expect((await call('PUT', `/keys/${made.id}`, { name: 'x' })).status).toBe(404)
    expect((await call('POST', `/keys/${made.id}/rotation`, {})).status).toBe(404)
  })

  test('takes models down and up', async () => {
    const states = async () => (await call('GET', '/models')).json.models[0].nodes
    expect((await call('PUT', '/models/small/nodes', { state: 'down' })).status).toBe(204)
    expect(await states()).toEqual([{ id: 'sim-small', state: 'down' }])
    expect((await call('PUT', '/models/small/nodes', { state: 'up' })).status).toBe(204)
  })

  test('restarts the gateway, which serves on', async () => {
    expect((await call('POST', '/restart', {})).status).toBe(204)
    expect((await fetch(`${gateway.baseUrl}/api/v1/models`)).status).toBe(401)
  })

  test('wants its token', async () => {
    for (const token of ['', 'wrong', `${gateway.control?.token}x`])
      expect((await call('GET', '/models', undefined, token)).status).toBe(401)
  })

  test('names the field that is wrong', async () => {
    const { json: opened } = await call('POST', '/accounts', { name: 'a' })
    const path = `/accounts/${opened.id}`
    for (const [method, where, body, param] of [
      ['POST', '/accounts', {}, 'name'],
      ['POST', '/accounts', { name: 'a', creditUsd: '-1' }, 'creditUsd'],
      ['POST', '/accounts', { name: 'a', creditUsd: '1e3' }, 'creditUsd'],
      ['POST', '/accounts', { name: 'a', creditUsd: '0.1234567890123' }, 'creditUsd'],
      ['POST', '/accounts', { name: 'a', creditUsd: 5 }, 'creditUsd'],
      ['POST', `${path}/credit`, {}, 'amountUsd'],
      ['POST', `${path}/keys`, { name: '' }, 'name'],
      ['POST', `${path}/keys`, { name: 'k', requestsPerMinute: 0 }, 'requestsPerMinute'],
      ['PUT', '/keys/any', { requestsPerMinute: 5 }, 'name'],
      ['PUT', '/keys/any', { name: 'k', tokensPerMinute: 1.5 }, 'tokensPerMinute'],
      ['PUT', '/models/small/nodes', { state: 'sideways' }, 'state'],
    ] as const) {
      const { status, json } = await call(method, where, body)
      expect([status, json.error.param], JSON.stringify(body)).toEqual([400, param])
    }
    expect((await call('GET', `${path}/entries?limit=0`)).json.error.param).toBe('limit')
    expect((await call('POST', '/accounts', '{"name":')).status).toBe(400)
    for (const gone of ['/accounts/none', '/accounts/none/entries', '/keys/none/usage', '/nothing', '/accounts/%zz'])
      expect((await call('GET', gone)).status, gone).toBeOneOf([400, 404])
    expect((await call('PUT', '/models/none/nodes', { state: 'up' })).status).toBe(404)
  })
})
