import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { XMLParser } from 'fast-xml-parser'
import { afterAll, describe, expect, test } from 'vitest'
import { readFixture } from '../../src/fixtures.ts'
import { assay, type Finished } from './assay.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-load-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Report {
  readonly outcomes: Readonly<Record<string, number>>
}

const brief = ['--duration', '1', '--connections', '4', '--max-tokens', '4', '--seed', '1']

function load(...args: readonly string[]): Promise<Finished> {
  return assay(['load', ...args])
}

/** What a run printed, and the JSON that it wrote. */
async function loadJson(...args: readonly string[]): Promise<{ readonly ran: Finished; readonly report: Report }> {
  const file = join(folder, `${performance.now()}.json`)
  const ran = await load(...args, '--report', `json=${file}`, '--report', 'terminal')
  return { ran, report: JSON.parse(readFileSync(file, 'utf8')) }
}

/** On a busy machine a measurement is rightly invalid, and the run says so: no test may depend on a valid one. */
function expectExit({ exitCode, out }: Finished, expected: 0 | 1, said: RegExp): void {
  if (exitCode === 3) expect(out).toContain('The measurement is not valid')
  else {
    expect(exitCode).toBe(expected)
    expect(out).toMatch(said)
  }
}

describe('assay load', () => {
  test('measures the embedded gateway with one command, and its JSON matches the schema', async () => {
    const { ran, report } = await loadJson(...brief, '--slo', 'ttft.p50<10s,errors<1%')
    expectExit(ran, 0, /Every objective was met/)
    const validate = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(
      JSON.parse(readFixture('report', 'load.schema.json')),
    )
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true)
    const { sent, ...others } = report.outcomes
    expect(Object.values(others).reduce((sum, count) => sum + count, 0)).toBe(sent)
    expect(report.outcomes).toMatchObject({ ok: sent })
  })

  test('exits 1 when a gate is missed, and says what was measured', async () => {
    expectExit(await load(...brief, '--slo', 'e2e.p50<1us'), 1, /✗ e2e\.p50<1us: measured \d/)
  })

  test('sends what the schedule of an open rate asks for', async () => {
    const { ran, report } = await loadJson(
      '--duration',
      '1',
      '--rate',
      '40',
      '--arrivals',
      'constant',
      '--max-tokens',
      '2',
      '--seed',
      '1',
    )
    expectExit(ran, 0, /Measured/)
    expect(report.outcomes).toMatchObject({ sent: 40, ok: 40 })
  })

  test('prints a row for each load of a sweep, and writes every format', async () => {
    const files = ['csv', 'html', 'junit', 'prometheus'].map(
      (format) => [format, join(folder, `sweep.${format}`)] as const,
    )
    const ran = await load(
      '--sweep',
      '1,3',
      '--duration',
      '1',
      '--max-tokens',
      '2',
      '--slo',
      'errors<1%',
      ...files.flatMap(([format, file]) => ['--report', `${format}=${file}`]),
      '--report',
      'terminal',
    )
    expectExit(ran, 0, /^ {2}1 .* met$/m)
    expect(ran.out).toMatch(/^ {2}3 .* met$/m)
    expect(ran.err).toMatch(/^1 and 3 connections, 1 s each, against /)
    const [csv = '', html = '', junit = '', prometheus = ''] = files.map(([, file]) => readFileSync(file, 'utf8'))
    expect(csv.split('\n')[0]).toBe('second,sent,ok,bad,events,ttft_p50_ms,stall_max_ms')
    expect(html).toContain('<svg')
    expect(html).not.toMatch(/(src|href)="?https?:/)
    expect(new XMLParser({ ignoreAttributes: false }).parse(junit)).toMatchObject({ testsuites: { '@_failures': '0' } })
    expect(prometheus).toMatch(/^assay_load_requests\{model="small",outcome="ok"\} \d+$/m)
  })

  test.each([
    [['--rate', 'fast'], '--rate must be above 0 and look like 20, 20/s or 5..50, got "fast".'],
    [['--slo', 'ttft<3ms'], '--slo "ttft<3ms"'],
    [['--arrivals', 'sometimes', '--rate', '1'], '--arrivals must be constant, poisson, gamma[:SHAPE] or trace=FILE'],
    [['--find-knee'], '--find-knee needs --slo'],
    [['--sweep', '1,two'], '--sweep must be numbers above 0'],
    [['--fleet', 'localhost'], '--fleet must be an address like redis://host:6379.'],
    [['--leaving', '3'], '--leaving must be a share like 5%, got "3".'],
    [['--report', 'pdf'], '--report must be one of'],
    [['--base-url', 'nowhere'], '--base-url must be an http or https address'],
  ])('exits 2 for %j and names the mistake', async (args, message) => {
    const { exitCode, err } = await load(...args)
    expect(exitCode).toBe(2)
    expect(err).toContain(message)
    expect(err).not.toContain('    at ')
  })

  test('exits 3 when nothing answers', async () => {
    const { exitCode, err } = await load('--base-url', 'http://127.0.0.1:9')
    expect(exitCode).toBe(3)
    expect(err).toContain('Nothing answers at http://127.0.0.1:9')
  })

  test('writes runs of one gateway that can be compared', async () => {
    const files = ['a', 'b'].map((name) => join(folder, `${name}.json`))
    for (const file of files)
      await load('--duration', '1', '--connections', '24', '--max-tokens', '2', '--report', `json=${file}`)
    const { exitCode, out } = await assay(['compare', ...files, '--max-regress', 'ttft.p50=900%', '--json'])
    const { kind, metrics } = JSON.parse(out) as { kind: string; metrics: { metric: string; verdict: string }[] }
    expect([0, 1]).toContain(exitCode)
    expect(kind).toBe('load')
    expect(metrics.find(({ metric }) => metric === 'ttft')?.verdict).not.toBe('worse')
  })
})
