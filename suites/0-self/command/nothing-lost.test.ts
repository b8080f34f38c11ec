import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { faults } from '../../../detection/faults/index.ts'
import { startGateway } from '../../../reference-server/main.ts'
import { judge } from '../../../src/index.ts'
import { assay } from '../assay.ts'

let folder: string
let requests = 0
/** What happens when the gateway is asked for the first time. */
let atFirst: () => void = () => {}
let target: readonly string[]
let env: Readonly<Record<string, string>>
let close: () => Promise<void>

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-lost-'))
  requests = 0
  atFirst = () => {}
  const wrap = faults['models-object-wrong'].wrap()
  const gateway = await startGateway({
    demo: true,
    wraps: [
      wrap,
      {
        serve: (real) => (call) => {
          if (requests === 0) atFirst()
          requests += 1
          return real(call)
        },
      },
    ],
  })
  target = ['--base-url', gateway.baseUrl, '--only', 'models.object']
  env = { ASSAY_API_KEY: gateway.demo?.apiKey ?? '' }
  close = () => gateway.close()
})
afterEach(async () => {
  await close()
  rmSync(folder, { recursive: true, force: true })
})

const inTheWay = (): void => writeFileSync(join(folder, 'file'), '')

describe('a place that cannot be written is found before the first request', () => {
  test.each([
    ['conformance', ['--report', 'json=file/run.json'], 'file/run.json cannot be written: there is a file'],
    ['conformance', ['--evidence', 'file'], 'file cannot be written: there is a file'],
    ['conformance', ['--known-failures', 'file/known.yaml', '--update-known-failures'], 'known.yaml cannot be written'],
    ['conformance', ['--report', 'json=x', '--report', 'html=x'], 'Two reports have the same file'],
    ['load', ['--report', 'html=file/load.html'], 'file/load.html cannot be written: there is a file'],
  ])('%s %j', async (command, options, sentence) => {
    inTheWay()
    const where = command === 'load' ? target.slice(0, 2) : target
    const { exitCode, out, err } = await assay([command, ...where, ...options], env, folder)
    expect(err).toContain(sentence)
    expect(err).not.toMatch(/\n\s+at /)
    expect({ exitCode, out, requests }).toEqual({ exitCode: 2, out: '', requests: 0 })
  })

  test('judge()', async () => {
    inTheWay()
    const [, origin = ''] = target
    const report = `json=${join(folder, 'file', 'run.json')}`
    await expect(judge({ 'base-url': origin, report })).rejects.toThrow('cannot be written')
    expect(requests).toBe(0)
  })
})

test('folders are made', async () => {
  await assay(['conformance', ...target, '--report', 'json=a/b/run.json'], env, folder)
  expect(JSON.parse(readFileSync(join(folder, 'a', 'b', 'run.json'), 'utf8'))).toMatchObject({
    gate: { exitCode: 1 },
  })
})

test('a report that cannot be written at the end loses neither the others nor the terminal report', async () => {
  atFirst = () => mkdirSync(join(folder, 'run.json'))
  const reports = ['--report', 'json=run.json', '--report', 'junit=run.xml']
  const { exitCode, err } = await assay(['conformance', ...target, ...reports], env, folder)
  expect(err).toMatch(/--report json=\S+run\.json was not written: it is a folder/)
  expect(err).toContain('models.object')
  expect(err).toContain('Not conformant')
  expect(readFileSync(join(folder, 'run.xml'), 'utf8')).toContain('models.object')
  expect(readdirSync(join(folder, 'assay-evidence'))).toContain('latest')
  expect(exitCode).toBe(1)
})

test('a run that passes and is not written does not exit with 0', async () => {
  atFirst = () => mkdirSync(join(folder, 'run.json'))
  const options = [...target.slice(0, 2), '--only', 'models.data', '--report', 'json=run.json']
  const { exitCode, err } = await assay(['conformance', ...options], env, folder)
  expect(err).toContain('was not written')
  expect(exitCode).toBe(4)
})

test('each run has a folder of its own for its evidence, and replay and verify take the newest', async () => {
  const run = (): ReturnType<typeof assay> =>
    assay(['conformance', ...target, '--evidence', 'assay-evidence', '--report', 'json=run.json'], env, folder)
  const home = join(folder, 'assay-evidence')
  await run()
  const first = readlinkSync(join(home, 'latest'))
  await run()
  const second = readlinkSync(join(home, 'latest'))
  expect(readdirSync(home).sort()).toEqual([first, second, 'latest'].sort())
  expect(readdirSync(join(home, first))).toContain('models.object.json')
  expect((await assay(['replay', 'models.object'], env, folder)).out).toContain('models.object: still failing')
  expect((await assay(['verify', 'run.json'], {}, folder)).exitCode).toBe(0)
  const other = await assay(['verify', 'run.json', '--evidence', join(home, first)], {}, folder)
  expect(other.err).toContain('There is no evidence of the run of run.json in assay-evidence/')
})

test('a report shows the exchanges of its own run only, wherever they are among those of others', async () => {
  const run = (name: string): ReturnType<typeof assay> =>
    assay(['conformance', ...target, '--evidence', 'kept', '--report', `json=${name}`], env, folder)
  await run('monday.json')
  const monday = readlinkSync(join(folder, 'kept', 'latest'))
  await run('tuesday.json')
  const shown = await assay(['report', 'monday.json', '--evidence', 'kept'], {}, folder)
  expect(shown.out).toContain(`--evidence kept/${monday}`)
  expect((await assay(['verify', 'monday.json', '--evidence', 'kept'], {}, folder)).exitCode).toBe(0)
  const missing = await assay(['report', 'monday.json', '--evidence', `kept/latest`], {}, folder)
  expect([missing.exitCode, missing.err]).toEqual([2, expect.stringContaining('no evidence of the run of monday.json')])
  const without = await assay(['report', 'monday.json'], {}, folder)
  expect([without.exitCode, without.err]).toEqual([0, expect.stringContaining('its exchanges are left out')])
})

test('a report beside the runs of the evidence folder is not taken for a run', async () => {
  await assay(['conformance', ...target, '--evidence', 'kept', '--report', 'json=kept/run.json'], env, folder)
  const again = await assay(['replay', 'models.object', '--evidence', 'kept'], env, folder)
  expect(again.out).toContain('models.object: still failing')
  expect((await assay(['verify', 'kept/run.json'], {}, folder)).exitCode).toBe(0)
})

test('a replay says where it asked, and that nothing is fixed which did not fail', async () => {
  await assay(['conformance', ...target, '--only', 'models.data', '--evidence', 'kept'], env, folder)
  const again = await assay(['replay', 'models.data', '--evidence', 'kept'], env, folder)
  expect(again.out).toBe('models.data: did not fail in that run, and passes now\n')
  expect(again.err).toMatch(/Asked http:\/\/127\.0\.0\.1:\d+\/\S+\./)
})
