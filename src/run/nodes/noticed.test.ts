import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { HarnessError } from '../../harness-error.ts'
import type { TargetConfig } from '../../target/config.ts'
import { untilNodesAreNoticed } from './noticed.ts'
import { startOwnNodes } from './own-nodes.ts'

let server: Server | undefined
afterEach(() => server?.close())

interface Turn {
  readonly chat: number
  readonly models: readonly string[]
  readonly list?: number
}

const completion = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' } }] }

/** A gateway that answers so, turn by turn, and in the last way ever after. */
async function gatewayWith(turns: readonly [Turn, ...Turn[]]) {
  let asked = 0
  server = createServer((request, response) => {
    const { chat, models, list = 200 } = turns[Math.min(asked, turns.length - 1)] ?? turns[0]
    const isList = request.url?.endsWith('/models') === true
    if (!isList) asked += 1
    response.writeHead(isList ? list : chat, { 'content-type': 'application/json' })
    const said = chat === 200 ? completion : { error: `no node for ${request.headers.authorization}` }
    response.end(JSON.stringify(isList ? { object: 'list', data: models.map((id) => ({ id })) } : said))
  })
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return { config: configFor(port), asked: () => asked }
}

const configFor = (port: number): TargetConfig => ({
  baseUrl: `http://127.0.0.1:${port}`,
  apiPath: '/v1',
  keys: { main: 'sk-of-a-test' },
  model: 'small',
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
})

const nodes = {
  urls: ['http://127.0.0.1:9101', 'http://127.0.0.1:9102'],
  wasAsked: () => false,
  missedTheirKey: () => false,
  refusedTheirList: () => false,
  unknown: () => [],
}
const well: Turn = { chat: 200, models: ['small'] }

test.each<readonly [string, readonly [Turn, ...Turn[]], number]>([
  ['that answers', [well], 1],
  ['that has no node for two turns', [{ chat: 503, models: [] }, { chat: 503, models: ['small'] }, well], 3],
  ['that knows no model at first', [{ chat: 404, models: [] }, well], 2],
  ['that knows no model and has no list at first', [{ chat: 404, models: [], list: 503 }, well], 2],
  ['whose list is empty at first', [{ chat: 200, models: [] }, well], 2],
  ['that refuses the key', [{ chat: 401, models: [] }], 1],
  ['that does not know the model, and lists others', [{ chat: 404, models: ['large'] }], 1],
])('a gateway %s is waited for no longer than it takes', async (_, turns, expected) => {
  const { config, asked } = await gatewayWith(turns)
  await untilNodesAreNoticed(
    config,
    { ...nodes, wasAsked: () => turns[asked() - 1]?.chat === 200 },
    { withinMs: 20_000 },
  )
  expect(asked()).toBe(expected)
})

test('a gateway that is given longer to settle is waited for as long', async () => {
  const { config, asked } = await gatewayWith([{ chat: 503, models: [] }, well])
  const patient = { ...config, settlingMs: 20_000 }
  await untilNodesAreNoticed(patient, { ...nodes, wasAsked: () => asked() === 2 }, { withinMs: 30 })
  expect(asked()).toBe(2)
})

test('a gateway that has its replies from elsewhere is told so, after more requests than chance would send there', async () => {
  const { config, asked } = await gatewayWith([well])
  const error = await untilNodesAreNoticed(config, nodes, { withinMs: 20_000 }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'nodes-unused', exitCode: 3 })
  expect(String(error)).toContain('answers the model small and asked none of the nodes at http://127.0.0.1:9101 and')
  expect(asked()).toBe(9)
})

test('a gateway that looks for the models of the nodes without their key is told so', async () => {
  const { config } = await gatewayWith([{ chat: 503, models: [] }])
  const keyless = { ...nodes, refusedTheirList: () => true }
  const error = await untilNodesAreNoticed(config, keyless, { withinMs: 30 }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'nodes-unused', exitCode: 3 })
  expect(String(error)).toContain('it asked without the key that --node-key names')
})

test('a gateway that does not give the nodes their key is told so at once', async () => {
  const { config, asked } = await gatewayWith([{ chat: 502, models: ['small'] }])
  const keyless = { ...nodes, wasAsked: () => true, missedTheirKey: () => true }
  const error = await untilNodesAreNoticed(config, keyless, { withinMs: 20_000 }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'nodes-keyless', exitCode: 3 })
  expect(String(error)).toContain('without the key that --node-key names')
  expect(asked()).toBe(1)
})

test('a gateway that asks other nodes too is judged once it has asked one of ours', async () => {
  const { config, asked } = await gatewayWith([well])
  await untilNodesAreNoticed(config, { ...nodes, wasAsked: () => asked() === 3 }, { withinMs: 20_000 })
  expect(asked()).toBe(3)
})

test('a gateway that never asks a node cannot be judged with them, and what to do about it is said', async () => {
  const { config } = await gatewayWith([{ chat: 503, models: [] }])
  const error = await untilNodesAreNoticed(config, nodes, { withinMs: 30 }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(HarnessError)
  expect(error).toMatchObject({ code: 'nodes-unused', exitCode: 3 })
  expect(String(error)).toMatch(
    /none of the nodes at http:\/\/127\.0\.0\.1:9101 and .*status 503: {"error":"no node for Bearer [\s\S]*restart it while Assay/,
  )
  expect(String(error)).not.toContain('sk-of-a-test')
})

test('a gateway that looks for a path that engines have and our nodes do not is told which', async () => {
  const { config } = await gatewayWith([{ chat: 503, models: [] }])
  const waiting = untilNodesAreNoticed(config, { ...nodes, unknown: () => ['GET /version'] }, { withinMs: 30 })
  await expect(waiting).rejects.toThrow('It looks for what they do not have: GET /version.')
})

test('a node that is only asked whether it is there was not asked', async () => {
  const own = await startOwnNodes([{ host: '127.0.0.1', port: 0, model: 'small' }])
  const [url] = own.urls
  await (await fetch(`${url}/v1/models`)).text()
  expect(own.wasAsked()).toBe(false)
  await (await fetch(`${url}/health`)).text()
  expect(own.unknown()).toEqual([])
  for (let turn = 0; turn < 2; turn++) await (await fetch(`${url}/version`)).text()
  expect(own.unknown()).toEqual(['GET /version'])
  await (await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{}' })).text()
  expect(own.wasAsked()).toBe(true)
  await own.close()
})

test('what a gateway makes of nodes that it did ask is for the checks to say', async () => {
  const { config } = await gatewayWith([{ chat: 503, models: [] }])
  await untilNodesAreNoticed(config, { ...nodes, wasAsked: () => true }, { withinMs: 30 })
})

test('a gateway that listens only once its nodes are well is waited for', async () => {
  const { config } = await gatewayWith([well])
  const port = Number(new URL(config.baseUrl).port)
  await new Promise((closed) => server?.close(closed))
  const own = { ...nodes, wasAsked: () => server?.listening === true }
  const waiting = untilNodesAreNoticed(config, own, { withinMs: 20_000 })
  setTimeout(() => server?.listen(port, '127.0.0.1'), 50)
  expect(await waiting).toEqual(config)
})

test('where no gateway comes to listen, it is said that the nodes did', async () => {
  const { config } = await gatewayWith([well])
  await new Promise((closed) => server?.close(closed))
  const error = await untilNodesAreNoticed(config, nodes, { withinMs: 30 }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'target-unreachable', exitCode: 3 })
  expect(String(error)).toMatch(
    /Nothing answered at .* within 0 s \(ECONNREFUSED.*listening at http:..127\.0\.0\.1:9101 and/,
  )
})

test('the API is found where it is once the nodes are noticed, not where everything was refused before', async () => {
  let asked = 0
  server = createServer((request, response) => {
    asked += 1
    const path = request.url ?? ''
    const isThere = path.startsWith('/v1/')
    const status = asked < 8 ? 503 : isThere ? 200 : 404
    response.writeHead(status, { 'content-type': 'application/json' })
    const list = { object: 'list', data: [{ id: 'small' }] }
    response.end(JSON.stringify(status !== 200 ? {} : path.endsWith('/models') ? list : completion))
  })
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening))
  const config = { ...configFor((server.address() as AddressInfo).port), apiPath: '/api/v1' }
  const waiting = untilNodesAreNoticed(config, { ...nodes, wasAsked: () => true }, { findsApi: true, withinMs: 20_000 })
  expect(await waiting).toMatchObject({ apiPath: '/v1' })
})
