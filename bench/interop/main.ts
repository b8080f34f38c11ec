import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { decidedOf } from '../decided.ts'
import type { Candidate } from './candidate.ts'
import { gateways } from './gateways.ts'
import { type GatewayReport, matrixOf } from './matrix.ts'
import { aimock } from './servers/aimock.ts'
import { llamaCppPython } from './servers/llama-cpp-python.ts'
import { mockLlm } from './servers/mock-llm.ts'
import { oneApi } from './servers/one-api.ts'
import { openaiMockApi } from './servers/openai-mock-api.ts'

/**
 * `npm run interop [NAME…]`: installs real servers into a cache folder, judges each, and leaves its report and its evidence
 * there. Without a name it judges the gateways from registries, between our client and our operator nodes, and writes
 * what was found to `docs/gateways.md`; then a real engine, from the client's side.
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
  const [port = 0, ...nodePorts] = await Promise.all(Array.from({ length: 1 + candidate.nodes }, freePort))
  const nodes = nodePorts.map((own) => `http://127.0.0.1:${own}`)
  const baseUrl = `http://127.0.0.1:${port}`
  const server = candidate.start(folder, port, nodes)
  const reportFile = join(folder, 'report.json')
  const evidence = join(folder, 'evidence')
  for (const old of [reportFile, evidence]) rmSync(old, { recursive: true, force: true })
  try {
    for (const endMs = performance.now() + startMsMax; !(await answers(baseUrl)); await sleep(200)) {
      if (performance.now() > endMs || server.exitCode !== null) throw new Error(`${candidate.title} did not start`)
    }
    // A model's name may contain a comma, which separates nodes, so the nodes take their model from --model.
    const places = nodePorts.length === 0 ? [] : ['--nodes', nodePorts.map((own) => `127.0.0.1:${own}`).join(',')]
    const args = [
      'conformance',
      '--base-url',
      baseUrl,
      '--costly',
      '--seed',
      '1',
      ...places,
      ...candidate.options(nodes),
    ]
    const reports = ['--report', `json=${reportFile}`, '--report', 'terminal', '--quiet', '--no-color']
    const judged = spawnSync(
      process.execPath,
      [join(root, 'bin', 'assay.cjs'), ...args, ...reports, '--evidence', evidence],
      { env: { ...process.env, ...(await candidate.keys(baseUrl, nodes)) }, encoding: 'utf8' },
    )
    process.stdout.write(
      `${candidate.title}: ${judged.stdout.trim().split('\n').slice(-3).join(' | ')}${judged.stderr.slice(-500)}\n`,
    )
    const found: GatewayReport = { title: candidate.title, report: JSON.parse(readFileSync(reportFile, 'utf8')) }
    const { decided, decidable } = decidedOf(found.report)
    process.stdout.write(`${decided} of ${decidable} checks decided, ${Math.round((100 * decided) / decidable)} %\n`)
    return found
  } finally {
    server.kill('SIGKILL')
  }
}

const wanted = process.argv.slice(2)
const known = [...gateways, aimock, openaiMockApi, mockLlm, llamaCppPython, oneApi]
const strange = wanted.filter((name) => known.every((candidate) => candidate.name !== name))
if (strange.length > 0) {
  process.stderr.write(`There is no ${strange.join(', ')}. Known: ${known.map(({ name }) => name).join(', ')}.\n`)
  process.exit(2)
}
mkdirSync(cache, { recursive: true })
if (wanted.length === 0) {
  const reports: GatewayReport[] = []
  for (const gateway of gateways) reports.push(await judge(gateway))
  writeFileSync(join(root, 'docs', 'gateways.md'), matrixOf(reports, new Date()))
  await judge(llamaCppPython)
}
for (const candidate of known.filter(({ name }) => wanted.includes(name))) await judge(candidate)
