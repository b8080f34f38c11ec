import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { wrapsNamed } from '../../detection/catalogue.ts'
import type { Wrap } from '../../reference-server/gateway/seams.ts'
import { createRun } from '../../src/check/scheduler.ts'
import { judge, startReferenceGateway } from '../../src/index.ts'
import type { Prepared } from '../../src/target/prepare.ts'
import { createTarget } from '../../src/target/target.ts'
import { createRedactor } from '../../src/wire/redact.ts'
import { checks } from '../index.ts'
import { configFor } from './config.ts'

let server: Server | undefined

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener)
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const emptyServers: Readonly<Record<string, RequestListener>> = {
  'answers every request with 200 {}': (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
  'answers every request with 204': (_, response) => response.writeHead(204).end(),
  'answers every request with an empty stream': (_, response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
  'closes every socket': (request) => request.socket.destroy(),
}

describe('no check passes without having seen anything, against a server that', () => {
  test.each(Object.entries(emptyServers))('%s', async (_, listener) => {
    const baseUrl = await serve(listener)
    const keys = {
      main: 'sk-assay-main-key',
      second: 'sk-assay-second-key',
      revoked: 'sk-assay-revoked-key',
      unfunded: 'sk-assay-unfunded-key',
    }
    const target = createTarget(configFor(baseUrl, { keys, timeoutMs: 500, unavailableModel: 'gone' }))
    // First contact would refuse to judge some of these servers, so it is left out and every check runs.
    const prepared: Prepared = {
      roster: [{ id: 'some-model' }],
      model: 'some-model',
      works: { json: true, stream: true },
      silenceMsMax: 500,
      msPerToken: 0,
      plainMs: 0,
      modeMs: { json: 0, stream: 0 },
    }
    const run = createRun(checks, checks, {
      target,
      prepared,
      keepAll: false,
      redactor: createRedactor(),
      randomness: { seed: 1, runs: 5 },
    })
    const results = await Promise.all(checks.map(({ id }) => run.resultOf(id)))
    await target.close()
    expect(results.filter(({ verdict }) => verdict.kind === 'pass').map(({ check }) => check.id)).toEqual([])
    expect(
      results.filter(({ verdict }) => verdict.kind === 'error').map(({ check, verdict }) => [check.id, verdict]),
    ).toEqual([])
  })
})

/** What a server leaves out everywhere, the check that says so, and those that judge what is in it. */
const leftOut = [
  ['usage-missing', 'usage.present', ['max-tokens.count-within-limit']],
  ['models-completion-price-missing', 'models.pricing', ['models.price-not-negative', 'models.price-plausible']],
  ['sse-no-done', 'stream.ends-with-done', ['stream.done-once', 'stream.nothing-after-done']],
] as const

test.each(leftOut)('%s fails %s, and no other check passes on what is not there', async (fault, root, others) => {
  const gateway = await startReferenceGateway({ demo: true, simulated: true, wraps: wrapsNamed([fault]) })
  const only = [root, ...others]
  const { results } = await judge({
    'base-url': new URL(gateway.baseUrl).origin,
    'api-key': gateway.demo?.apiKey ?? '',
    only,
  })
  await gateway.close()
  const kindOf = (id: string) => results.find((result) => result.id === id)?.verdict.kind
  expect(kindOf(root)).toBe('fail')
  for (const id of others) expect([id, kindOf(id)]).toEqual([id, expect.stringMatching(/^(blocked|not-applicable)$/)])
})

test('a limit of text is judged where replies count nothing', async () => {
  const gateway = await startReferenceGateway({ demo: true, simulated: true, wraps: wrapsNamed(['usage-missing']) })
  const only = ['max-tokens.limits-each-model', 'max-tokens.own-limit-per-request']
  const { results } = await judge({
    'base-url': new URL(gateway.baseUrl).origin,
    'api-key': gateway.demo?.apiKey ?? '',
    only,
  })
  await gateway.close()
  expect(results.map(({ id, verdict }) => [id, verdict.kind])).toEqual(only.map((id) => [id, 'pass']))
})

test('what usual clients send is judged where no list of models is served', async () => {
  const listless: Wrap = {
    serve: (real) => async (call) => {
      if (call.request.method === 'GET') call.response.writeHead(404).end()
      else await real(call)
    },
  }
  const refusingUpgrades: Wrap = {
    serve: (real) => async (call) => {
      if (call.request.headers.upgrade === undefined) return real(call)
      call.request.resume()
      call.response.writeHead(422).end()
    },
  }
  const gateway = await startReferenceGateway({ demo: true, simulated: true, wraps: [listless, refusingUpgrades] })
  const { results } = await judge({
    'base-url': new URL(gateway.baseUrl).origin,
    'api-path': '/api/v1',
    'api-key': gateway.demo?.apiKey ?? '',
    model: 'small',
    only: ['http.needs-no-other-headers', 'http.serves-usual-clients'],
  })
  await gateway.close()
  expect(results.map(({ verdict }) => verdict.kind)).toEqual(['pass', 'fail'])
})
