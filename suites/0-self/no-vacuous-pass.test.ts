import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createRun } from '../../src/check/scheduler.ts'
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
