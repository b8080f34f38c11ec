import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { XMLParser } from 'fast-xml-parser'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../../../reference-server/main.ts'
import { readFixture } from '../../../src/fixtures.ts'
import { type Finished, type Running, startAssay } from '../assay.ts'

let folder: string
let gateway: RunningGateway
let running: Running | undefined
/** What happens at the request of this number: the first contact takes three, the load the rest. */
let stopAt: { readonly request: number; readonly signal: NodeJS.Signals } | undefined

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-interrupt-load-'))
  let requests = 0
  gateway = await startGateway({
    demo: true,
    pace: 'profile',
    wraps: [
      {
        serve: (real) => (call) => {
          requests += 1
          if (requests === stopAt?.request) running?.child.kill(stopAt.signal)
          return real(call)
        },
      },
    ],
  })
})
afterEach(async () => {
  await gateway.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A load of a minute, which would run into the time limit of its test. */
function load(...options: readonly string[]): Promise<Finished> {
  const env = { ASSAY_API_KEY: gateway.demo?.apiKey ?? '' }
  const brief = ['--duration', '60', '--connections', '2', '--max-tokens', '2', '--seed', '1']
  running = startAssay(['load', '--base-url', gateway.baseUrl, ...brief, ...options], env, folder)
  return running.finished
}

const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
const reports = (formats: readonly string[]): string[] => formats.flatMap((one) => ['--report', `${one}=${one}`])

describe('an interrupted load', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s is not valid, and says how long it was, in every format',
    async (signal) => {
      stopAt = { request: 12, signal }
      const formats = ['json', 'html', 'junit', 'prometheus']
      const { exitCode, out, err } = await load('--slo', 'errors<100%', '--report', 'terminal', ...reports(formats))
      expect(err).toContain('Stopping: no more requests are started')
      expect(exitCode, out + err).toBe(130)
      expect(out).toMatch(/^Interrupted after \d+\.\d s of 60 s$/m)
      expect(out).toContain('the measurement is interrupted')
      for (const format of formats) expect(read(format), format).toMatch(/interrupted after \d+\.\d s of 60 s/i)
      const report = JSON.parse(read('json'))
      expect(report.validity.verdict).toBe('interrupted')
      expect(report.run.durationMs).toBeLessThan(60_000)
      expect(report.outcomes.ok).toBe(report.outcomes.sent)
      const validate = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(
        JSON.parse(readFixture('report', 'load.schema.json')),
      )
      expect(validate(report), JSON.stringify(validate.errors)).toBe(true)
      const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(read('junit'))
      expect(testsuites['@_failures']).toBe('1')
      expect(read('prometheus')).toMatch(/^assay_load_valid\{model="small"\} 0$/m)
    },
  )

  test.each([
    ['--sweep', '1,2,3'],
    ['--repeat', '3'],
    ['--find-knee', ''],
    ['--baseline-url', 'itself'],
  ])('ends an experiment with what it has: %s %s', async (option, value) => {
    stopAt = { request: 20, signal: 'SIGINT' }
    const options = value === '' ? [option] : [option, value === 'itself' ? gateway.baseUrl : value]
    const { exitCode, out, err } = await load(...options, '--slo', 'errors<100%', '--report', 'json')
    expect(exitCode, err).toBe(130)
    const report = JSON.parse(out)
    expect(report.validity.verdict).toBe('interrupted')
    expect(report.gate.reason).toContain('Interrupted after')
    if (option === '--find-knee') expect(report.knee.value).toBeNull()
    if (option === '--sweep') expect(report.sweep.length).toBe(1)
  })
})
