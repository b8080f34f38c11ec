import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Candidate, candidates } from './gateways.ts'
import { type GatewayReport, matrixOf } from './matrix.ts'

/**
 * `npm run interop [NAME…]`: installs real gateways into a cache folder, puts each between our client and our operator
 * nodes, judges it, and writes what was found to `docs/gateways.md`.
 */
const root = join(import.meta.dirname, '..', '..')
const cache = join(root, '.cache', 'interop')
const startMsMax = 90_000

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  await new Promise((closed) => server.close(closed))
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url)
    return true
  } catch {
    return false
  }
}

async function judge(candidate: Candidate): Promise<GatewayReport> {
  const folder = join(cache, candidate.name)
  candidate.install(folder)
  const [port, ...ports] = await Promise.all([freePort(), freePort(), freePort()])
  const urls = ports.map((own) => `http://127.0.0.1:${own}`)
  const gateway = candidate.start(folder, port ?? 0, urls)
  const baseUrl = `http://127.0.0.1:${port}`
  const reportFile = join(folder, 'report.json')
  rmSync(reportFile, { force: true })
  try {
    for (const endMs = performance.now() + startMsMax; !(await answers(baseUrl)); await sleep(200)) {
      if (performance.now() > endMs || gateway.exitCode !== null) throw new Error(`${candidate.title} did not start`)
    }
    // A model's name may contain a comma, which separates nodes, so the nodes take their model from --model.
    const places = ports.map((own) => `127.0.0.1:${own}`).join(',')
    const host = candidate.name === 'portkey' ? ['--header', `x-portkey-custom-host: ${urls[0]}/v1`] : []
    const args = ['conformance', '--base-url', baseUrl, '--model', candidate.model, '--nodes', places, '--seed', '1']
    // Some of them rest a node that failed, and the checks wait.
    const time = ['--max-time', '300', '--max-requests', '6000']
    const reports = [
      '--report',
      `json=${reportFile}`,
      '--report',
      'terminal',
      '--quiet',
      '--no-color',
      '--evidence',
      join(folder, 'evidence'),
    ]
    const keys = { ASSAY_API_KEY: candidate.name === 'reference' ? demoKey : 'sk-interop-0123456789' }
    const judged = spawnSync(
      process.execPath,
      [join(root, 'bin', 'assay.cjs'), ...args, ...time, ...candidate.options, ...host, ...reports],
      {
        env: { ...process.env, ...keys },
        encoding: 'utf8',
      },
    )
    process.stdout.write(
      `${candidate.title}: ${judged.stdout.trim().split('\n').slice(-3).join(' | ')}${judged.stderr.slice(-500)}\n`,
    )
    return { title: candidate.title, report: JSON.parse(readFileSync(reportFile, 'utf8')) }
  } finally {
    gateway.kill('SIGKILL')
  }
}

/** The key of --demo is always the same for one service name and seed. */
const { deriveKey } = await import('../../reference-server/keys/key.ts')
const demoKey = deriveKey('assay', 1, 'first').key

const wanted = process.argv.slice(2)
mkdirSync(cache, { recursive: true })
const reports: GatewayReport[] = []
for (const candidate of candidates) {
  if (wanted.length === 0 || wanted.includes(candidate.name)) reports.push(await judge(candidate))
}
if (wanted.length === 0) writeFileSync(join(root, 'docs', 'gateways.md'), matrixOf(reports, new Date()))
