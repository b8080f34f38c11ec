import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { faults } from '../../../detection/faults/index.ts'
import { type RunningGateway, startGateway } from '../../../reference-server/main.ts'
import { assay, type Finished } from '../assay.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-known-'))
const file = join(folder, 'known.yaml')
const broken = 'temperature.in-range-accepted'
let gateway: RunningGateway

beforeAll(async () => {
  gateway = await startGateway({ demo: true, wraps: [faults['temperature-two-refused'].wrap()] })
})

afterAll(async () => {
  await gateway.close()
  rmSync(folder, { recursive: true, force: true })
})

function judge(text: string | undefined, ...args: readonly string[]): Promise<Finished> {
  if (text !== undefined) writeFileSync(file, text)
  const only = ['--only', broken, '--only', 'temperature.above-range-refused', '--seed', '1']
  const env = { ASSAY_API_KEY: gateway.demo?.apiKey ?? '' }
  return assay(['conformance', '--base-url', gateway.baseUrl, '--known-failures', file, ...only, ...args], env, folder)
}

test('a known failure does not fail the run and is reported; without its entry it does', async () => {
  expect((await judge('{}')).exitCode).toBe(1)
  const known = await judge(`${broken}: the bound is being mended\n`)
  expect([known.exitCode, known.out]).toEqual([0, expect.stringMatching(/Known failures:\s+.*being mended/)])
  const json = JSON.parse((await judge(undefined, '--report', 'json')).out)
  expect(json.results.find(({ id }: { id: string }) => id === broken).known).toEqual({
    reason: 'the bound is being mended',
    flaky: false,
  })
  expect((await judge(undefined, '--report', 'junit')).out).toMatch(/failures="0".*<skipped message="known: /s)
})

test('an entry that now passes fails the run, unless it is flaky', async () => {
  const entries = `${broken}: mended soon\ntemperature.above-range-refused:`
  const stale = await judge(`${entries} was broken once\n`)
  expect([stale.exitCode, stale.out]).toEqual([1, expect.stringContaining('temperature.above-range-refused')])
  expect((await judge(`${entries} {reason: comes and goes, flaky: true}\n`)).exitCode).toBe(0)
})

test('the file is updated on request, and created if it is missing', async () => {
  rmSync(file, { force: true })
  expect((await judge(undefined)).exitCode).toBe(2)
  expect((await judge(undefined, '--update-known-failures')).exitCode).toBe(0)
  expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^${broken}: not explained yet; first seen on \\d{4}-`))
  expect((await judge(undefined)).exitCode).toBe(0)
})

test('a mistake in the file is a usage error that names the entry', async () => {
  for (const [text, message] of [
    [`${broken}: ""\n`, 'needs a reason'],
    ['no.such-check: why\n', '"no.such-check" is not a check'],
  ] as const) {
    const { exitCode, err } = await judge(text)
    expect([exitCode, err]).toEqual([2, expect.stringContaining(message)])
  }
})
