import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

/** Mistakes that a command refuses before it asks anybody anything. */

let folder: string
let server: Server
let host: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-refused-'))
  server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  writeFileSync(join(folder, 'file'), '')
  writeFileSync(join(folder, 'later.json'), '{"schema":"inference-assay/report/2","target":{}}')
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
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

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
  const [name = '', ...args] = line.replace('{gateway}', `http://${host}`).replace('{host}', host).split(' ')
  if (!isCommand(name)) throw new Error(`${name} is not listed above`)
  const print = (): void => {}
  try {
    const io = {
      out: print,
      err: print,
      ask: async () => '',
      env: {},
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
    ['conformance --max-cost cheap', '--max-cost must be a number of US dollars, at least 0, got "cheap".'],
    ['conformance --max-time -1', '--max-time must be a number of seconds, at least 1, got "-1".'],
    ['load --max-tokens -1', '--max-tokens must be a whole number of at least 1, got "-1".'],
    ['load --rate -5', '--rate must be above 0 and look like 20, 20/s or 5..50, got "-5".'],
    ['load --duration 1m', '--duration must be a number of seconds, at least 0.1, got "1m".'],
    ['load --rate --seed 3', /^--rate needs a value; one that begins with a dash is written --rate=VALUE\.\n/],
    ['load --rate', '--rate needs a value'],
    ['load calibrat', '"calibrat" is not an option. Did you mean "calibrate"?'],
    ['gateway --listen 99999', /^--listen must have a port of at most 65535, got "99999"\.\n/],
    ['gateway --listen 127.0.0.1:123456', '--listen must have a port of at most 65535, got "127.0.0.1:123456".'],
  ])('%s is answered with what was meant, and exit code 2', async (line, said) => {
    const { exitCode, err } = await refused(line)
    if (typeof said === 'string') expect(err).toContain(said)
    else expect(err).toMatch(said)
    expect(exitCode).toBe(2)
  })
})

describe('a file or a port', () => {
  test.each([
    ['conformance --report json=file/run.json', 'there is a file where a folder should be'],
    ['conformance --profile missing.yaml', /missing\.yaml does not exist\.\nCheck the path/],
    ['conformance --profile broken.yaml', /broken\.yaml cannot be read: .*line \d+, column \d+\.\n/],
    ['report missing.json', /^missing\.json cannot be read: ENOENT: no such file or directory\.\nCheck the path/],
    ['report later.json', 'later.json is a report of form 2, and this release reads form 1.'],
    ['report cut.json', 'cut.json is not a whole report: it has no "run".'],
    ['load --arrivals trace=missing.csv', 'missing.csv cannot be read'],
    [
      'gateway --store memory --listen {host}',
      /The gateway cannot start: 127\.0\.0\.1:\d+ is in use\.\nStop what listens/,
    ],
    [
      'gateway --store memory --listen 127.0.0.1:0 --redis redis://:secret@127.0.0.1:1',
      /^The gateway cannot start: the Redis at redis:\/\/127\.0\.0\.1:1 cannot be reached: connect ECONNREFUSED/,
    ],
    ['gateway --redis localhost', '--redis must be an address like redis://host:6379.'],
    ['node --listen {host}', /The node cannot start: 127\.0\.0\.1:\d+ is in use\./],
    ['load --base-url {gateway} --probe billing', '--probe needs --control'],
    ['conformance --base-url {gateway}/?api-version=1', '--base-url must end before "?api-version=1"'],
    ['conformance --base-url {gateway} --nodes 9101', 'got "9101". Did you mean "127.0.0.1:9101"?'],
    [
      'conformance --base-url {gateway} --api-key sk-one --second-key sk-two --revoked-key sk-one',
      '--revoked-key is the same key as --api-key: name another one, or leave it out.',
    ],
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
