import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../../../reference-server/main.ts'
import { judge } from '../../../src/index.ts'
import { assay } from '../assay.ts'

/** What people do wrong in their first five minutes: each mistake ends in the right exit code and a line that helps. */

let folder: string
let gateway: RunningGateway
let key: Readonly<Record<string, string>>
const servers: Server[] = []
/** Addresses by name, as the tables below write them. */
const places: Record<string, string> = {}

async function serve(name: string, listener: RequestListener): Promise<void> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  places[name] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Passes everything on to the gateway, which is mounted elsewhere. */
function mountedAt(prefix: string): RequestListener {
  return async (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const body = await buffer(request)
    if (!url.startsWith(prefix)) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not Found"}')
      return
    }
    const answer = await fetch(`${gateway.baseUrl}/api/v1${url.slice(prefix.length)}`, {
      method,
      headers: { authorization: headers.authorization ?? '', 'content-type': headers['content-type'] ?? '' },
      ...(body.length > 0 && { body }),
    })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-mistakes-'))
  gateway = await startGateway({ demo: true, metrics: {}, control: {} })
  key = { ASSAY_API_KEY: gateway.demo?.apiKey ?? '' }
  places['gateway'] = gateway.baseUrl
  places['host'] = new URL(gateway.baseUrl).host
  places['metrics'] = gateway.metricsUrl ?? ''
  places['control'] = gateway.control?.url ?? ''
  await serve('v1', mountedAt('/v1'))
  await serve('silent', () => {})
  await serve('page', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'))
  await serve('limited', (request, response) => {
    const isList = request.url?.endsWith('/models') === true
    response.writeHead(isList ? 200 : 429, { 'content-type': 'application/json' })
    response.end(isList ? '{"object":"list","data":[{"id":"small"}]}' : '{"error":{"message":"Slow down."}}')
  })
})
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  await gateway.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The words of a command, with the names of places in braces replaced by their addresses. */
const wordsOf = (line: string): readonly string[] =>
  line.split(' ').map((word) => word.replace(/\{(\w+)\}/, (_, name: string) => places[name] ?? name))

async function tried(line: string, env: Readonly<Record<string, string>> = key) {
  const { exitCode, out, err } = await assay(wordsOf(line), env, folder)
  expect(err, 'no stack trace for a mistake').not.toMatch(/\n\s+at /)
  return { exitCode, out, err }
}

describe('an address', () => {
  test.each([
    ['conformance --base-url {v1} --only models.object', '/v1;'],
    ['conformance --base-url {v1}/v1 --only models.object', '/v1;'],
    ['conformance --base-url {v1}/v1/chat/completions --only models.object', '/v1;'],
    ['conformance --base-url {v1}/api/v1 --only models.object', '/v1;'],
    ['conformance --base-url {gateway}/v1 --only models.object', '/api/v1;'],
    ['conformance --base-url {gateway} --against {v1} --only models.object', '/v1;'],
    ['load --base-url {v1} --duration 1 --connections 1 --max-tokens 2', '/v1, model small'],
    ['load --base-url {v1} --model small --duration 1 --connections 1 --max-tokens 2', '/v1, model small'],
  ])('is completed: %s', async (line, said) => {
    const { exitCode, err } = await tried(line, { ...key, ASSAY_AGAINST_KEY: key['ASSAY_API_KEY'] ?? '' })
    expect(err).toContain(said)
    // On a busy machine a measurement of speed is rightly invalid.
    expect(line.startsWith('load') ? [0, 3] : [0]).toContain(exitCode)
  })

  test('is completed by judge() too', async () => {
    const options = { 'base-url': places['v1'] ?? '', 'api-key': key['ASSAY_API_KEY'], only: ['models.object'] }
    expect(await judge(options)).toMatchObject({ target: { apiPath: '/v1' }, gate: { exitCode: 0 } })
  })

  test.each([
    ['conformance --base-url {host}', 2, 'Did you mean "http://127.0.0.1:'],
    [
      'conformance --base-url ftp://127.0.0.1',
      2,
      '--base-url must be an http or https address, got "ftp://127.0.0.1".',
    ],
    ['conformance --base-url http://user:word@127.0.0.1', 2, '--base-url must not hold credentials'],
    ['conformance {gateway}', 2, 'Pass it as --base-url http://127.0.0.1:'],
    ['conformance --base-url https://{host}', 3, 'speaks plain HTTP: use http://127.0.0.1:'],
    ['conformance --base-url http://127.0.0.1:1', 3, 'Nothing answers at http://127.0.0.1:1 (ECONNREFUSED'],
    ['conformance --base-url {metrics}', 3, 'answers like an inference gateway: status 404 (application/json) for GET'],
    ['conformance --base-url {page}', 3, 'status 200 (a web page) for GET /api/v1/models'],
    ['conformance --base-url {v1} --api-path /api/v1', 3, '/v1 lists models: pass --api-path /v1.'],
    ['conformance --base-url {gateway} --against {page}', 3, '(a web page)'],
    ['load --base-url {metrics}', 3, 'answers like an inference gateway: status 404'],
    ['load --base-url {v1} --api-path /api/v1', 3, 'pass --api-path /v1.'],
    ['load --base-url {silent} --timeout 1000', 3, 'takes connections and sends nothing (silent for 1000 ms).'],
    ['load --base-url {gateway} --baseline-url {page}', 3, 'Check --baseline-url; --baseline-api-path says where'],
    ['load --base-url {host}', 2, 'Did you mean "http://127.0.0.1:'],
    [
      'conformance --base-url {v1} --max-requests 1',
      3,
      'The first contact could not be finished: --max-requests 1 is used up.',
    ],
    ['conformance --base-url {gateway} --control {host}', 2, '--control must be an http or https address'],
    ['conformance --base-url {gateway} --control {control}', 3, 'asks for a token, and none was given.'],
    ['conformance --base-url {gateway} --control {control} --control-token made-up', 3, 'refuses the token with 401.'],
    ['conformance --base-url {gateway} --control http://127.0.0.1:1', 3, 'Nothing answers at --control'],
    ['conformance --base-url {gateway} --control {page}', 3, 'answers like a control API: status 200 (a web page).'],
    ['load --base-url {gateway} --probe billing --control {control} --control-token made-up', 3, 'refuses the token'],
  ])('that is wrong: %s exits with %i', async (line, expected, said) => {
    const { exitCode, err } = await tried(line.includes('--against') ? `${line} --only models.object` : line)
    expect(err).toContain(said)
    expect(exitCode).toBe(expected)
  })
})

describe('a key or a model', () => {
  const withKey = (name: 'unfundedKey' | 'revokedKey'): Readonly<Record<string, string>> => ({
    ASSAY_API_KEY: gateway.demo?.[name] ?? '',
  })

  test.each(['conformance', 'load'])(
    'of %s that cannot be used ends in exit code 3 and is not shown',
    async (command) => {
      const missing = await tried(`${command} --base-url {gateway}`, {})
      expect(missing.err).toMatch(/asks for a key, and none was given\.\nSet ASSAY_API_KEY/)
      const refused = await tried(`${command} --base-url {gateway}`, withKey('revokedKey'))
      expect(refused.err).toMatch(/refuses the given key with status 401: ".+"\.\n/)
      const unfunded = await tried(`${command} --base-url {gateway}`, withKey('unfundedKey'))
      expect(unfunded.err).toMatch(/asks for payment before a plain request: status 402: ".*"\.\nFund the account/)
      const limited = await tried(`${command} --base-url {limited}`)
      expect(limited.err).toMatch(/refuses every plain request for a limit, .*status 429: "Slow down"\.\nWait until/)
      for (const { exitCode, err } of [missing, refused, unfunded, limited]) {
        expect(exitCode).toBe(3)
        expect(err).not.toMatch(/sk-assay-\w/)
      }
    },
  )

  test('of the second gateway, or its address, is asked for by the options that name it', async () => {
    const only = 'conformance --base-url {gateway} --only models.object --against'
    const missing = await tried(`${only} {v1}`)
    expect(missing.err).toMatch(
      /:\d+\/v1 asks for a key, and none was given\.\nSet ASSAY_AGAINST_KEY, or pass --against-key\.\n/,
    )
    const dead = await tried(`${only} http://127.0.0.1:1`)
    expect(dead.err).toMatch(/Nothing answers at http:\/\/127\.0\.0\.1:1 .*\nStart the gateway, or check --against\.\n/)
    expect([missing.exitCode, dead.exitCode]).toEqual([3, 3])
    const load = await tried('load --base-url {gateway} --duration 1 --baseline-url {page}')
    expect(load.err).toContain('Check --baseline-url; --baseline-api-path says where')
  })

  test('a model that is served cannot be the one that no node serves', async () => {
    const { exitCode, err } = await tried('conformance --base-url {gateway} --unavailable-model medium')
    expect(err).toMatch(/lists the model medium, and answers it\.\nName a model that the gateway knows/)
    expect(exitCode).toBe(2)
  })

  test('a model that is not there is named, with those that are', async () => {
    const { exitCode, err } = await tried('conformance --base-url {gateway} --model smal')
    expect(err).toContain('does not list the model smal')
    expect(err).toContain('it lists small, medium, large')
    expect(err).toContain('Did you mean "small"?')
    expect(exitCode).toBe(3)
  })
})

test('a typing error in the name of a command is answered with the name that was meant', async () => {
  const { exitCode, err } = await tried('conformence --only models.object')
  expect(err).toContain('There is no command "conformence". Did you mean "conformance"?')
  expect(exitCode).toBe(2)
})

test('a wrong value that a variable holds is answered with the name of the variable', async () => {
  const { exitCode, err } = await tried('conformance', { ASSAY_MAX_TIME: 'x' })
  expect(err).toMatch(/^ASSAY_MAX_TIME must be a number of seconds/)
  expect(exitCode).toBe(2)
})

test('-h prints the help of a command', async () => {
  for (const line of ['-h', 'help', 'conformance -h', 'gateway -h'])
    expect((await tried(line)).out, line).toMatch(/^ {2}(--)?\w+/m)
})

test('a run that only writes files still says how it ended', async () => {
  const only = '--base-url {gateway} --only models.object'
  expect((await tried(`conformance ${only} --report json=run.json`)).out).toMatch(/Conformant.*\n1 check: 1 pass/s)
  expect((await tried(`conformance ${only} --report json=run.json --quiet`)).out).toBe('')
})

test('--list prints a line for each selected check', async () => {
  const { out } = await tried('conformance --only 2.5 --list')
  expect(
    out
      .trim()
      .split('\n')
      .every((line) => /^models\.[\w-]+ \((must|should|open)/.test(line)),
  ).toBe(true)
})
