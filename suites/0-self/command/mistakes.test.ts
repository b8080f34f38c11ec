import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../../../reference-server/main.ts'
import { commands as allCommands } from '../../../src/cli/commands.ts'
import { compare } from '../../../src/cli/compare.ts'
import { completionOf } from '../../../src/cli/completion/completion.ts'
import { conformance } from '../../../src/cli/conformance.ts'
import { detection } from '../../../src/cli/detection.ts'
import { explain } from '../../../src/cli/explain.ts'
import { faultsCommand } from '../../../src/cli/faults.ts'
import { gateway as gatewayCommand } from '../../../src/cli/gateway/gateway.ts'
import { load } from '../../../src/cli/load/load.ts'
import { node } from '../../../src/cli/node.ts'
import { replay } from '../../../src/cli/replay.ts'
import { report } from '../../../src/cli/report.ts'
import { HarnessError } from '../../../src/harness-error.ts'
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
  gateway = await startGateway({ demo: true, metrics: {} })
  key = { ASSAY_API_KEY: gateway.demo?.apiKey ?? '' }
  places['gateway'] = gateway.baseUrl
  places['host'] = new URL(gateway.baseUrl).host
  places['metrics'] = gateway.metricsUrl ?? ''
  await serve('v1', mountedAt('/v1'))
  await serve('page', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'))
  await serve('limited', (request, response) => {
    const isList = request.url?.endsWith('/models') === true
    response.writeHead(isList ? 200 : 429, { 'content-type': 'application/json' })
    response.end(isList ? '{"object":"list","data":[{"id":"small"}]}' : '{"error":{"message":"Slow down."}}')
  })
  writeFileSync(join(folder, 'file'), '')
  writeFileSync(join(folder, 'cut.json'), '{"schema":"inference-assay/report/1","target":{}}')
  const parts = { target: {}, run: {}, gate: {} }
  const conformanceRun = { schema: 'inference-assay/report/1', ...parts, summary: {}, results: [] }
  const loadRun = { schema: 'inference-assay/load/1', ...parts, plan: {}, outcomes: {}, metrics: {}, validity: {} }
  writeFileSync(join(folder, 'whole.json'), JSON.stringify(conformanceRun))
  writeFileSync(join(folder, 'load.json'), JSON.stringify(loadRun))
  writeFileSync(join(folder, 'typo.yaml'), 'base-ulr: http://127.0.0.1:1\n')
  writeFileSync(join(folder, 'broken.yaml'), 'base-url: [1, 2\n')
  writeFileSync(join(folder, 'known.yaml'), 'stream.end-with-done: it is being mended\n')
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

const commands = {
  conformance,
  load,
  explain,
  replay,
  gateway: gatewayCommand,
  node,
  faults: faultsCommand,
  detection,
  report,
  compare,
  completion: completionOf(allCommands),
} as const
const isCommand = (name: string): name is keyof typeof commands => name in commands

/** A command that refuses at once, in this process: that is as good, and takes a tenth of the time. */
async function refused(line: string): Promise<{ readonly exitCode: number; readonly err: string }> {
  const [name = '', ...args] = wordsOf(line)
  if (!isCommand(name)) throw new Error(`${name} is not listed above`)
  const print = (): void => {}
  try {
    const io = {
      out: print,
      err: print,
      ask: async () => '',
      env: key,
      folder,
      live: false,
      terminal: false,
      color: false,
      leave: print,
    }
    return { exitCode: await commands[name].run(args, io), err: 'nothing was refused' }
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error
    return { exitCode: error.exitCode, err: `${error.message}\n` }
  }
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
    ['load --base-url {host}', 2, 'Did you mean "http://127.0.0.1:'],
    [
      'conformance --base-url {v1} --max-requests 1',
      3,
      'The first contact could not be finished: the 1 requests of --max',
    ],
    ['conformance --base-url {gateway} --control {host}', 2, '--control must be an http or https address'],
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
      expect(refused.err).toContain('refuses the given key with status 401')
      const unfunded = await tried(`${command} --base-url {gateway}`, withKey('unfundedKey'))
      expect(unfunded.err).toMatch(/asks for payment before a plain request: status 402\.\nFund the account/)
      const limited = await tried(`${command} --base-url {limited}`)
      expect(limited.err).toMatch(/refuses every plain request for a limit, .*status 429\.\nWait until/)
      for (const { exitCode, err } of [missing, refused, unfunded, limited]) {
        expect(exitCode).toBe(3)
        expect(err).not.toMatch(/sk-assay-\w/)
      }
    },
  )

  test('a model that is not there is named, with those that are', async () => {
    const { exitCode, err } = await tried('conformance --base-url {gateway} --model smal')
    expect(err).toContain('does not list the model smal')
    expect(err).toContain('it lists small, medium, large')
    expect(err).toContain('Did you mean "small"?')
    expect(exitCode).toBe(3)
  })
})

describe('a typing error', () => {
  test.each([
    ['conformance --bas-url {gateway}', `Unknown option '--bas-url'. Did you mean "--base-url"?`],
    ['conformance --base_url {gateway}', 'Did you mean "--base-url"?'],
    ['conformance --only stop.end-text', 'Did you mean "stop.ends-text"?'],
    ['conformance --level shuold', 'Did you mean "should"?'],
    ['conformance --report jsn', 'Did you mean "json"?'],
    ['conformance --profile typo.yaml', '"base-ulr" in the profile is not an option. Did you mean "base-url"?'],
    ['conformance --known-failures known.yaml', 'Did you mean "stream.ends-with-done"?'],
    ['explain stream.ends-with-dnoe', 'Did you mean "stream.ends-with-done"?'],
    ['replay stream.ends-with-dnoe', 'Did you mean "stream.ends-with-done"?'],
    ['gateway --fault sse-no-doen', 'Did you mean "sse-no-done"?'],
    ['faults sse-no-doen', 'Did you mean "sse-no-done"?'],
    ['detection --only sse-no-doen', 'Did you mean "sse-no-done"?'],
    ['load --conections 3', 'Did you mean "--connections"?'],
    ['load --probe biling', 'Did you mean "billing"?'],
    ['load --slo ttft.p95<300', 'a latency needs the unit us, ms or s'],
    ['load --report htm=run.html', 'Did you mean "html"?'],
    ['compare whole.json whole.json --max-regress ttft=5', '--max-regress must look like ttft.p95=5%, got "ttft=5".'],
    ['compare whole.json whole.json --htlm page.html', `Unknown option '--htlm'. Did you mean "--html"?`],
    ['report whole.json --report htlm', 'Did you mean "html"?'],
    ['completion bahs', 'Did you mean "bash"?'],
    ['conformance --max-cost cheap', '--max-cost must be a number'],
  ])('%s is answered with what was meant, and exit code 2', async (line, said) => {
    const { exitCode, err } = await refused(line)
    expect(err).toContain(said)
    expect(exitCode).toBe(2)
  })

  test('in the name of a command is answered with the name that was meant', async () => {
    const { exitCode, err } = await tried('conformence --only models.object')
    expect(err).toContain('There is no command "conformence". Did you mean "conformance"?')
    expect(exitCode).toBe(2)
  })
})

describe('a file or a port', () => {
  test.each([
    ['conformance --report json=file/run.json', 'there is a file where a folder should be'],
    ['conformance --profile missing.yaml', 'missing.yaml cannot be read: ENOENT'],
    ['conformance --profile broken.yaml', /broken\.yaml cannot be read: .*line \d+, column \d+\.\n/],
    ['report missing.json', /^missing\.json cannot be read: ENOENT: no such file or directory\.\nCheck the path/],
    ['report cut.json', 'cut.json is not a whole report: it has no "run".'],
    ['load --arrivals trace=missing.csv', 'missing.csv cannot be read'],
    [
      'gateway --store memory --listen {host}',
      /The gateway cannot start: 127\.0\.0\.1:\d+ is in use\.\nStop what listens/,
    ],
    ['node --listen {host}', /The node cannot start: 127\.0\.0\.1:\d+ is in use\./],
    ['load --base-url {gateway} --probe billing', '--probe needs --control'],
    ['load --base-url {gateway} --find-knee', '--find-knee needs --slo, which says what a load must meet.'],
    ['load --base-url {gateway} --report html=file/page.html', 'there is a file where a folder should be'],
    ['compare whole.json', 'compare takes two files written by --report json=FILE.'],
    ['compare whole.json missing.json', 'missing.json cannot be read: ENOENT'],
    ['compare whole.json load.json', 'One file is from a conformance run, the other from a load run.'],
    ['compare whole.json whole.json --html file/page.html', 'there is a file where a folder should be'],
    ['report whole.json whole.json', 'Several runs make a page: name its file with --report html=FILE.'],
    ['report whole.json load.json --report html=both.html', 'compare takes two load runs'],
  ])('%s exits with 2, and does not send people to --help in vain', async (line, said) => {
    const { exitCode, err } = await refused(line)
    if (typeof said === 'string') expect(err).toContain(said)
    else expect(err).toMatch(said)
    if (/cannot/.test(err)) expect(err).not.toContain('--help to see its options')
    expect(exitCode).toBe(2)
  })
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
