import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Wrap } from '../../../reference-server/gateway/seams.ts'
import { startGateway } from '../../../reference-server/main.ts'
import { readFixture } from '../../../src/fixtures.ts'
import { parseJson } from '../../../src/json.ts'
import { assay } from '../assay.ts'

type Gateway = Awaited<ReturnType<typeof startGateway>>

let folder: string
const closing: (() => Promise<void> | void)[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-test-'))
})

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  rmSync(folder, { recursive: true, force: true })
})

async function gatewayWith(wrap: Wrap = {}): Promise<Gateway & { readonly key: string }> {
  const gateway = await startGateway({ demo: true, wraps: [wrap] })
  closing.push(() => gateway.close())
  return { ...gateway, key: gateway.demo?.apiKey ?? '' }
}

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Refuses temperatures in a narrow band. */
const band: Wrap = {
  validate: (real) => (value, call) => {
    const request = real(value, call)
    if (request.temperature < 0.52 || request.temperature > 0.68) return request
    return real({ ...(value as object), temperature: 9 }, call)
  },
}

describe('assay conformance', () => {
  test('judges the embedded gateway if no other is given', async () => {
    const { exitCode, out } = await assay(
      // Of every part of it: its models, its keys, its control API, our nodes, and load.
      [
        'conformance',
        '--level',
        'should',
        ...['4.2', '5', '6', 'relay.reply-text-exact'].flatMap((one) => ['--only', one]),
      ],
      {},
      folder,
    )
    expect(out).toContain('Conformant')
    expect(out).toMatch(/ 0 fail, \d+ observed, 0 blocked, 0 untestable, \d+ not applicable/)
    const [all, ...counts] = (/\d+ checks: .*(?=, in )/.exec(out)?.[0].match(/\d+/g) ?? []).map(Number)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(all)
    expect(exitCode).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })

  test('exits 3 when nothing answers, and names the address', async () => {
    const { exitCode, out, err } = await assay(['conformance', '--base-url', 'http://127.0.0.1:1'], {}, folder)
    expect({ exitCode, out }).toEqual({ exitCode: 3, out: '' })
    expect(err).toContain('Nothing answers at http://127.0.0.1:1')
  })

  test('exits 3 when the key is missing or refused, and names the variable', async () => {
    const { baseUrl } = await gatewayWith()
    const missing = await assay(['conformance', '--base-url', baseUrl], {}, folder)
    expect(missing.exitCode).toBe(3)
    expect(missing.err).toContain('ASSAY_API_KEY')
    const refused = await assay(['conformance', '--base-url', baseUrl], { ASSAY_API_KEY: 'sk-assay-not-a-key' }, folder)
    expect(refused.exitCode).toBe(3)
    expect(refused.err).toContain('refuses the given key')
    expect(refused.err).not.toContain('sk-assay-not-a-key')
  })

  test('exits 3 if the address is not a gateway', async () => {
    const page = await serve((_, response) =>
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>'),
    )
    const { exitCode, err } = await assay(['conformance', '--base-url', page], {}, folder)
    expect(exitCode).toBe(3)
    expect(err).toContain('like an inference gateway')
  })

  test.each([
    ['a 404', { status: 404, body: { error: { message: 'no list here' } } }],
    ['empty', { status: 200, body: { object: 'list', data: [] } }],
    ['a bare array', { status: 200, body: [{ id: 'small' }] }],
  ])('judges a gateway whose model list is %s, and exits 1', async (_, { status, body }) => {
    const { baseUrl, key } = await gatewayWith({
      listModels: () => () => body,
      listHead: (real) => (call) => ({ ...real(call), status }),
    })
    const { exitCode, out } = await assay(
      ['conformance', '--base-url', baseUrl, '--runs', '2'],
      { ASSAY_API_KEY: key },
      folder,
    )
    expect(out).toContain('Not conformant')
    expect(exitCode).toBe(1)
  })

  test.each([
    [['--runs', 'many'], '--runs must be a whole number'],
    [['--level', 'may'], '--level must be one of: must, should'],
    [['--base-url', 'ftp://x'], '--base-url must be an http or https address'],
    [['--only', 'no.such-check'], '"no.such-check" selects no check'],
    [['--report', 'pdf'], '--report must be one of'],
    [['--nonsense'], '--nonsense'],
    [['--node-dialect', 'gguf'], '--node-dialect must be one of: vllm'],
    [['--base-url', 'http://127.0.0.1:1', '--node-dialect', 'vllm'], 'add --nodes'],
    [['--profile', 'missing.yaml'], 'does not exist'],
  ])('exits 2 for %j and says why', async (args, sentence) => {
    const { exitCode, err } = await assay(['conformance', ...args], {}, folder)
    expect(err).toContain(sentence)
    expect(err).not.toMatch(/\n\s+at /)
    expect(exitCode).toBe(2)
  })

  test('leaves out what costs more than allowed, and names the option', async () => {
    const args = [
      'conformance',
      '--max-cost',
      '0.0001',
      '--only',
      'temperature.*',
      '--only',
      'window.large-body-accepted',
    ]
    const { exitCode, out } = await assay(args, {}, folder)
    expect(out).toMatch(/\d+ checks? (?:was|were) not decided, \d+ of them required\. --max-cost 0\.\d+ would do/)
    expect(exitCode).toBe(3)
  })

  test('takes options from a profile, and prefers flags', async () => {
    const { baseUrl, key } = await gatewayWith()
    writeFileSync(
      join(folder, 'ours.yaml'),
      `base-url: ${baseUrl}\nonly: [models.object, models.data]\nruns: 3\nlevel: should\n`,
    )
    const run = await assay(
      ['conformance', '--profile', 'ours.yaml', '--only', 'models.id', '--report', 'json'],
      { ASSAY_API_KEY: key },
      folder,
    )
    expect(run.exitCode).toBe(0)
    expect(parseJson(run.out)).toMatchObject({
      gate: { level: 'should' },
      run: { runs: 3 },
      results: [{ id: 'models.id', verdict: 'pass' }],
    })
    writeFileSync(join(folder, 'bad.yaml'), 'base-urll: x\n')
    const bad = await assay(['conformance', '--profile', 'bad.yaml'], {}, folder)
    expect(bad.err).toContain('"base-urll" in the profile is not an option')
    expect(bad.exitCode).toBe(2)
  })

  test('writes JSON that matches its schema and JUnit that another parser reads', async () => {
    const { baseUrl, key } = await gatewayWith(band)
    const { exitCode } = await assay(
      [
        'conformance',
        '--base-url',
        baseUrl,
        '--runs',
        '100',
        '--seed',
        '7',
        '--report',
        'json=run.json',
        '--report',
        'junit=run.xml',
      ],
      { ASSAY_API_KEY: key },
      folder,
    )
    expect(exitCode).toBe(1)
    const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } })
    const validate = ajv.compile(JSON.parse(readFixture('report', 'report.schema.json')))
    validate(parseJson(readFileSync(join(folder, 'run.json'), 'utf8')))
    expect(validate.errors ?? []).toEqual([])
    const xml = readFileSync(join(folder, 'run.xml'), 'utf8')
    expect(XMLValidator.validate(xml)).toBe(true)
    const parsed: unknown = new XMLParser({ ignoreAttributes: false }).parse(xml)
    expect(parsed).toHaveProperty('testsuites.testsuite')
  })

  test('finds a fault in a narrow band, shrinks it to the edge, and replays it until it is fixed', async () => {
    const broken = await gatewayWith(band)
    const env = { ASSAY_API_KEY: broken.key }
    const only = ['--only', 'temperature.random-in-range-accepted', '--runs', '100', '--seed', '7']
    const run = await assay(['conformance', '--base-url', broken.baseUrl, ...only, '--report', 'json'], env, folder)
    expect(run.exitCode).toBe(1)
    const [result] = (parseJson(run.out) as { results: { counterexample: { value: string } }[] }).results
    const value = Number(result?.counterexample.value)
    // Values shrink towards the nearer end of their range, so the lower edge of the band remains.
    expect(value).toBeGreaterThanOrEqual(0.52)
    expect(value).toBeLessThan(0.521)
    const again = await assay(['replay', 'temperature.random-in-range-accepted'], env, folder)
    expect(again.out).toContain('still failing')
    expect(again.exitCode).toBe(1)
    const repaired = await gatewayWith()
    const fixed = await assay(
      ['replay', 'temperature.random-in-range-accepted', '--base-url', repaired.baseUrl],
      { ASSAY_API_KEY: repaired.key },
      folder,
    )
    expect(fixed.out).toContain('fixed')
    expect(fixed.exitCode).toBe(0)
  })
})

describe('the other commands', () => {
  test('ignore a token in the environment that nothing needs', async () => {
    const env = { ASSAY_CONTROL_TOKEN: 'for-another-run', ASSAY_AGAINST_KEY: 'for-another-run' }
    const stays = ['gateway', '--listen', '127.0.0.1:0', '--store', 'memory', '--node', 'nonsense']
    expect((await assay(stays, env)).err).toContain('--node must look like')
    expect((await assay(['conformance', '--list', '--only', 'models.*'], env)).exitCode).toBe(0)
  })

  test('list prints checks for every statement', async () => {
    const { exitCode, out } = await assay(['list'])
    expect(out).toContain('; 0 statements without a check')
    expect(exitCode).toBe(0)
  })

  test('explain says why and what to do, and refuses an unknown check', async () => {
    expect((await assay(['explain', 'stream.ends-with-done'])).out).toMatch(/States .+\n.*Why .+\n.*Fix /s)
    expect((await assay(['explain', 'stop.ends-text'])).out).toMatch(/Cost .+at most \d+ requests? and/)
    expect((await assay(['explain', 'relay.every-reply-unchanged'])).out).toContain('no request of its own')
    expect((await assay(['explain', 'no.such-check'])).exitCode).toBe(2)
  })

  test('print help and the version, and an unknown one exits 2', async () => {
    expect((await assay(['--version'])).out.trim()).toMatch(/^\d+\.\d+\.\d+$/)
    const names = (await assay(['--help'])).out.match(/(?<=^ {2})\w+/gm) ?? []
    expect(names.length).toBeGreaterThan(8)
    for (const command of [[], ...names.map((name) => [name]), ['load', 'calibrate'], ['load', 'join']]) {
      const { exitCode, out } = await assay([...command, '--help'])
      expect(out.split('\n').length).toBeLessThan(60)
      expect(exitCode).toBe(0)
    }
    expect((await assay(['nonsense'])).exitCode).toBe(2)
  })
})
