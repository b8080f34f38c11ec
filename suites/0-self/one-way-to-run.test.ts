import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { type FaultId, faults } from '../../detection/faults/index.ts'
import { defaultModels } from '../../reference-server/gateway/models.ts'
import { judge, type RunningGateway, startNode, startReferenceGateway } from '../../src/index.ts'
import { parseJson } from '../../src/json.ts'
import { readEvidence } from '../../src/report/evidence.ts'
import { assay } from './assay.ts'
import { freePort } from './free-port.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-run-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const scripted = { id: 'scripted', ownedBy: 'assay', contextWindow: 131_072, price: 0.2 }

interface Standing {
  readonly gateway: RunningGateway
  readonly origin: string
  readonly key: string
  /** Where it expects an operator node for the model `scripted`. */
  readonly nodes: string
}

async function gatewayWith(fault?: FaultId): Promise<Standing> {
  const port = await freePort()
  const gateway = await startReferenceGateway({
    demo: true,
    control: {},
    models: [...defaultModels, scripted],
    nodes: [{ id: 'node-0', url: `http://127.0.0.1:${port}`, models: [scripted.id] }],
    simulated: true,
    wraps: fault === undefined ? [] : [faults[fault].wrap()],
  })
  closing.push(() => gateway.close())
  const origin = new URL(gateway.baseUrl).origin
  return { gateway, origin, key: gateway.demo?.apiKey ?? '', nodes: `127.0.0.1:${port}=${scripted.id}` }
}

describe('judge() heeds', () => {
  test('nodes: checks that script them are decided', async () => {
    const { origin, key, nodes } = await gatewayWith()
    const report = await judge({ 'base-url': origin, 'api-key': key, nodes, only: ['relay.reply-text-exact'] })
    expect(report.results.map(({ id, verdict }) => [id, verdict.kind])).toEqual([['relay.reply-text-exact', 'pass']])
  })

  test.each([
    [{}, 'pass'],
    [{ 'node-dialect': 'llama.cpp' }, 'fail'],
  ])('node-dialect: with %j, a gateway that takes null for a word is judged %s', async (dialect, verdict) => {
    const { origin, key, nodes } = await gatewayWith('relay-null-is-a-word')
    const only = ['relay.stream-text-exact']
    const { results } = await judge({ 'base-url': origin, 'api-key': key, nodes, only, ...dialect })
    expect(results.map((result) => result.verdict.kind)).toEqual([verdict])
  })

  test('known-failures: what it names lets the run pass', async () => {
    const { origin, key } = await gatewayWith('temperature-two-refused')
    const file = join(folder, 'known.yaml')
    writeFileSync(file, 'temperature.in-range-accepted: it is being mended\n')
    const options = { 'base-url': origin, 'api-key': key, only: ['temperature.in-range-accepted'] }
    expect((await judge(options)).gate.exitCode).toBe(1)
    const report = await judge({ ...options, 'known-failures': file })
    expect(report.gate.exitCode).toBe(0)
    expect(report.results[0]?.known?.reason).toBe('it is being mended')
  })

  test('failed: it runs again what failed in the newest run, and says so where there is none', async () => {
    const { origin, key } = await gatewayWith('temperature-two-refused')
    const options = { 'base-url': origin, 'api-key': key, evidence: join(folder, 'failed') }
    const failed = { ...options, failed: true }
    await expect(judge(failed)).rejects.toThrow('--failed: there is no last run in')
    await judge({ ...options, only: ['models.object', 'temperature.in-range-accepted'] })
    expect((await judge(failed)).results.map(({ id }) => id)).toEqual(['temperature.in-range-accepted'])
    await expect(judge({ ...failed, only: ['models.object'] })).rejects.toThrow('no selected check failed')
  })

  test('max-cost: it leaves out what costs more, and says how much that is', async () => {
    const { origin, key } = await gatewayWith()
    const only = ['models.data', 'stream.equals-reply-unicode']
    const { results, run } = await judge({ 'base-url': origin, 'api-key': key, 'max-cost': 0.0002, only })
    expect(run.costUsd).toBeLessThan(0.0002)
    expect(results.map(({ verdict }) => verdict)).toEqual([
      expect.objectContaining({ kind: 'pass' }),
      expect.objectContaining({
        cause: 'budget',
        reason: expect.stringMatching(/needs a budget of \$0\.\d+: pass --max-cost 0\.\d+$/),
      }),
    ])
  })

  test('against: it says which side a difference is on', async () => {
    const [one, other] = [await gatewayWith(), await gatewayWith('temperature-two-refused')]
    const report = await judge({
      'base-url': one.origin,
      'api-key': one.key,
      against: other.origin,
      'against-key': other.key,
      only: ['temperature.in-range-accepted'],
    })
    expect(report.against?.differences).toMatchObject([{ id: 'temperature.in-range-accepted', departs: 'there' }])
  })

  test('evidence and report: it writes the files', async () => {
    const { origin, key } = await gatewayWith()
    const evidence = join(folder, 'kept')
    const file = join(folder, 'run.json')
    const waiting = { settling: 2, timeout: 5000 }
    const only = ['models.object']
    await judge({ 'base-url': origin, 'api-key': key, evidence, report: `json=${file}`, only, ...waiting })
    expect(existsSync(file)).toBe(true)
    expect(readEvidence(evidence, 'models.object')).toMatchObject({ settlingMs: 2000, timeoutMs: 5000 })
  })

  test.each([
    [{ list: true }, 'judge() does not take "list"'],
    [{ report: 'json' }, '"report" must name a file'],
    [{ nodez: 'x' }, '"nodez" is not an option'],
  ])('only options that it can use: %j is refused by name', async (option, message) => {
    await expect(judge({ 'base-url': 'http://127.0.0.1:9', ...option })).rejects.toThrow(message)
  })
})

describe('the replay line under a failure reproduces', () => {
  /** Runs one check, and then the replay line of its report. */
  async function replayed(
    { origin, key, gateway }: Standing,
    id: string,
    options: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const keys = { ASSAY_API_KEY: key, ASSAY_CONTROL_TOKEN: gateway.control?.token ?? '', ...env }
    const run = await assay(
      ['conformance', '--base-url', origin, '--only', id, '--report', 'json', ...options],
      keys,
      folder,
    )
    const { results } = parseJson(run.out) as { results: { verdict: string; reproduce: { replay: string } }[] }
    expect(results[0]?.verdict, run.out + run.err).toBe('fail')
    const line = results[0]?.reproduce.replay ?? ''
    const again = await assay(line.slice(line.indexOf('replay')).split(' '), keys, folder)
    return again.out + again.err
  }

  test('a check that needs nodes', async () => {
    const standing = await gatewayWith('relay-reply-trimmed')
    const said = await replayed(standing, 'relay.reply-text-exact', ['--nodes', standing.nodes])
    expect(said).toContain('relay.reply-text-exact: still failing')
  })

  test('a check that needs nodes of one dialect', async () => {
    const standing = await gatewayWith('relay-null-is-a-word')
    const options = ['--nodes', standing.nodes, '--node-dialect', 'llama.cpp']
    expect(await replayed(standing, 'relay.stream-text-exact', options)).toContain('still failing')
  })

  test('a check of a run with headers, once they are given again', async () => {
    const { origin, key } = await gatewayWith('key-without-prefix')
    const env = { ASSAY_API_KEY: key }
    const about = ['--base-url', origin, '--header', 'X-Team: of-a-test']
    await assay(['conformance', ...about, '--only', 'models.pricing', '--evidence', 'with-headers'], env, folder)
    const again = ['replay', 'models.pricing', '--evidence', 'with-headers']
    expect((await assay(again, env, folder)).err).toContain(
      "The run had headers whose values are not kept: give --header 'X-Team: …' again.",
    )
    expect((await assay([...again, ...about], env, folder)).out).toContain('models.pricing: did not fail in that run')
  })

  test('a check that needs the control API', async () => {
    const standing = await gatewayWith('key-without-prefix')
    const said = await replayed(standing, 'key.prefix', ['--control', standing.gateway.control?.url ?? ''])
    expect(said).toContain('key.prefix: still failing')
  })

  test('a check that needs a limited key', async () => {
    const standing = await gatewayWith('given-limit-of-the-account')
    const env = { ASSAY_LIMITED_KEY: standing.gateway.demo?.limitedKey ?? '' }
    const said = await replayed(standing, 'key.given-limit-is-its-own', [], env)
    expect(said).toContain('key.given-limit-is-its-own: still failing')
  })

  test('a check on a gateway elsewhere that mounts its API elsewhere', async () => {
    const standing = await gatewayWith('models-object-wrong')
    await replayed(standing, 'models.object', [])
    const node = await startNode({ models: ['small'] })
    closing.push(() => node.close())
    const again = await assay(['replay', 'models.object', '--base-url', node.url], {}, folder)
    expect(again.out, again.err).toContain('models.object: fixed')
  })
})
