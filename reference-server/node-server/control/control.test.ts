import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { dialectNames } from '../dialect/dialects.ts'
import { startNode } from '../node-server.ts'
import { controlPrefix, controlRoutes } from './control.ts'

const node = await startNode({ models: ['small'], control: { host: '127.0.0.1', port: 0 } })

afterAll(() => node.close())

async function control(method: string, path: string, value?: unknown): Promise<readonly [number, unknown]> {
  const body = value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value)
  const response = await fetch(`${node.controlUrl}${controlPrefix}${path}`, { method, body })
  const text = await response.text()
  return [response.status, text === '' ? undefined : JSON.parse(text)]
}

async function ask(): Promise<number> {
  const body = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'assay-script-a' }] })
  return (await fetch(`${node.url}/v1/chat/completions`, { method: 'POST', body })).status
}

describe('the control API', () => {
  test('has the paths, the methods and the prefix of its OpenAPI file', () => {
    const document = parse(readFileSync(new URL('../../../fixtures/nodes/openapi.yaml', import.meta.url), 'utf8'))
    const described = Object.entries(document.paths).map(([path, actions]) => [
      path,
      Object.keys(actions as object)
        .filter((key) => key !== 'parameters')
        .map((method) => method.toUpperCase())
        .sort(),
    ])
    const served = Object.entries(controlRoutes).map(([path, actions]) => [path, Object.keys(actions).sort()])
    expect(described).toEqual(served)
    expect(document.servers[0].url.endsWith(controlPrefix)).toBe(true)
    expect(document.components.schemas.Script.properties.dialect.enum).toEqual(dialectNames)
  })

  test('puts, lists and deletes scripts', async () => {
    expect(await control('PUT', '/scripts/a', { status: 418 })).toEqual([204, undefined])
    expect(await ask()).toBe(418)
    expect(await control('GET', '/scripts')).toEqual([200, { scripts: { a: { status: 418 } } }])
    expect(await control('DELETE', '/scripts/a')).toEqual([204, undefined])
    expect(await ask()).toBe(200)
  })

  test('shows and forgets records', async () => {
    await control('DELETE', '/records')
    await ask()
    const [, all] = await control('GET', '/records?script=a')
    expect(all).toMatchObject({ records: [{ scriptId: 'a', method: 'POST', path: '/v1/chat/completions' }] })
    expect(await control('GET', '/records?script=b')).toEqual([200, { records: [] }])
    expect(await control('DELETE', '/records')).toEqual([204, undefined])
    expect(await control('GET', '/records')).toEqual([200, { records: [] }])
  })

  test('takes the node down and up', async () => {
    expect(await control('PUT', '/state', { state: '503' })).toEqual([204, undefined])
    expect(await control('GET', '/state')).toEqual([200, { state: '503' }])
    expect(await ask()).toBe(503)
    expect(await control('PUT', '/state', { state: 'refuse' })).toEqual([204, undefined])
    await expect(ask()).rejects.toThrow()
    expect(await control('GET', '/health')).toEqual([200, { status: 'ok' }])
    expect(await control('PUT', '/state', { state: 'up' })).toEqual([204, undefined])
    expect(await ask()).toBe(200)
  })

  test('changes the timing', async () => {
    expect(await control('PUT', '/timing', { model: { firstToken: 1, gap: 0 } })).toEqual([204, undefined])
    expect(await control('PUT', '/timing', { profile: 'instant' })).toEqual([204, undefined])
  })

  test.each([
    [400, 'PUT', '/scripts/a', { fault: { kind: 'none' } }, /^fault\.kind must be one of/],
    [400, 'PUT', '/scripts/A', {}, /^id may only contain/],
    [400, 'PUT', '/scripts/a', '{', /^The body must be JSON/],
    [400, 'PUT', '/state', { state: 'asleep' }, /^state must be one of/],
    [400, 'PUT', '/state', null, /^state must be one of/],
    [400, 'PUT', '/timing', {}, /^profile or model is required/],
    [400, 'PUT', '/timing', { model: { firstToken: 0 } }, /^gap is required/],
    [404, 'GET', '/nowhere', undefined, /nothing at this path/],
    [405, 'POST', '/scripts', {}, /only answers GET/],
  ])('answers %i to %s %s %j', async (status, method, path, value, message) => {
    expect(await control(method, path, value)).toEqual([status, { error: { message: expect.stringMatching(message) } }])
  })

  test('is not there unless it is asked for', async () => {
    const other = await startNode({ models: ['small'] })
    expect(other.controlUrl).toBeUndefined()
    expect((await fetch(`${other.url}${controlPrefix}/health`)).status).toBe(404)
    await other.close()
  })

  test('that cannot listen leaves no node running', async () => {
    const { hostname: host, port } = new URL(node.url)
    const taken = { host, port: Number(port) }
    await expect(startNode({ models: ['small'], control: taken })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})
