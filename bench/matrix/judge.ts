import { type ChildProcess, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { packageFolder } from '../../src/fixtures.ts'
import type { JsonReport } from '../../src/report/conformance/json.ts'
import { runFolder } from '../../src/report/evidence-folder.ts'
import type { Server } from './server.ts'

const startMsMax = 90_000

/** Where a version is installed, and where its last evidence is. */
export function folderOf(server: Server, version: string): string {
  return join(packageFolder, '.cache', 'matrix', server.name, version)
}

export function evidenceOf(server: Server, version: string): string {
  return join(folderOf(server, version), 'evidence')
}

export interface Judged {
  readonly report: JsonReport
  /** How it was asked, with names for the addresses of the run. */
  readonly command: string
}

/** Installs a version, starts it between our client and our nodes, and judges it; `only` chooses checks. */
export async function judge(server: Server, version: string, only: readonly string[] = []): Promise<Judged> {
  const folder = folderOf(server, version)
  server.install(folder, version)
  const [port = 0, ...nodePorts] = await Promise.all(Array.from({ length: 1 + server.nodes }, freePort))
  const nodes = nodePorts.map((own) => `http://127.0.0.1:${own}`)
  const baseUrl = `http://127.0.0.1:${port}`
  const running = server.start(folder, port, nodes)
  const [reportFile, evidence] = [join(folder, 'report.json'), evidenceOf(server, version)]
  for (const old of [reportFile, evidence]) rmSync(old, { recursive: true, force: true })
  try {
    for (const endMs = performance.now() + startMsMax; !(await answers(baseUrl)); await sleep(200)) {
      if (performance.now() > endMs || running.exitCode !== null)
        throw new Error(`${server.name} ${version} did not start: ${join(folder, 'server.log')} says why`)
    }
    const args = argsOf(server, baseUrl, nodes)
    const some = only.flatMap((id) => ['--only', id])
    const output = ['--report', `json=${reportFile}`, '--report', 'terminal', '--quiet', '--no-color']
    const judged = spawnSync(
      process.execPath,
      [join(packageFolder, 'bin', 'assay.cjs'), ...args, ...some, ...output, '--evidence', evidence],
      { env: { ...process.env, ...(await server.keys(baseUrl, nodes)) }, encoding: 'utf8' },
    )
    if (!existsSync(reportFile)) throw new Error(`${server.name} ${version} was not judged: ${judged.stderr}`)
    const named = argsOf(server, 'http://127.0.0.1:PORT', ['http://127.0.0.1:NODE1', 'http://127.0.0.1:NODE2'])
    return {
      report: JSON.parse(readFileSync(reportFile, 'utf8')),
      command: ['npx inference-assay', ...named.map((one) => (/[\s;]/.test(one) ? `'${one}'` : one))].join(' '),
    }
  } finally {
    endGroup(running)
  }
}

/** Ends it and whatever it has started. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of it is left.
  }
}

function argsOf(server: Server, baseUrl: string, nodes: readonly string[]): readonly string[] {
  const own = nodes.slice(0, server.nodes)
  // A model's name may contain a comma, which separates nodes, so the nodes take their model from --model.
  const places = own.length === 0 ? [] : ['--nodes', own.map((url) => url.replace('http://', '')).join(',')]
  return ['conformance', '--base-url', baseUrl, '--costly', '--seed', '1', ...places, ...server.options(own)]
}

/** A digest of all exchanges of the last run, in the order of their files. */
export function digestOf(evidence: string): string {
  const folder = runFolder(evidence)
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)))
  return hash.digest('hex')
}

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
