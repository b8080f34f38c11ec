import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { wrapsNamed } from '../detection/catalogue.ts'
import { enginesVariants } from '../detection/variants/engines.ts'
import type { Variant } from '../detection/variants/variant.ts'
import { packageFolder } from '../src/fixtures.ts'
import { startEmbedded } from '../src/run/embedded.ts'
import { type Decided, decidedOf, type JudgedReport } from './decided.ts'

/**
 * `npm run bench:engines [NAME…]`: what a client that has a key and nothing else learns of slow, serial and odd engines in
 * 300 s. The engines are legal: each failure is a false alarm. Exits with 1 below the share that is promised.
 */
const shareMin = 0.8
const maxTimeS = 300
/** Engines mostly wait. */
const atOnce = 3

const engines: Readonly<Record<string, Variant>> = enginesVariants
const assay = join(packageFolder, 'bin', 'assay.cjs')
const folder = join(packageFolder, '.cache', 'engines')

async function judge(name: string): Promise<Decided> {
  const { gateway, known, close } = await startEmbedded({ seed: 1, wraps: wrapsNamed([name]), withNodes: false })
  const file = join(folder, `${name}.json`)
  const window = engines[name]?.contextWindow
  const args = ['--base-url', gateway.baseUrl, '--seed', '1', '--level', 'should', '--max-time', String(maxTimeS)]
  const limits = [
    '--costly',
    '--max-cost',
    '100',
    ...(window === undefined ? [] : ['--context-window', String(window)]),
  ]
  const reports = ['--report', `json=${file}`, '--report', `terminal=${join(folder, `${name}.txt`)}`]
  const evidence = ['--evidence', join(folder, name), '--quiet']
  const child = spawn(process.execPath, [assay, 'conformance', ...args, ...limits, ...reports, ...evidence], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ASSAY_API_KEY: known.keys.main },
  })
  await once(child, 'exit')
  await close()
  const report: JudgedReport = JSON.parse(readFileSync(file, 'utf8'))
  return decidedOf(report)
}

function print(name: string, { decided, decidable, failed, undecided, durationS, requests }: Decided): void {
  const share = `${((100 * decided) / decidable).toFixed(0)} %`
  const lines = [
    `${name}: ${decided} of ${decidable} decided (${share}), ${failed.length} failed, ${durationS.toFixed(0)} s, ${requests} requests`,
    ...failed.map(({ id, said }) => `  FAILED ${id}: ${said}`),
    ...undecided.map(({ reason, ids }) => `  ${ids.length} × ${reason}: ${ids.join(' ')}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

mkdirSync(folder, { recursive: true })
const wanted = process.argv.slice(2)
const names = Object.keys(engines).filter((name) => wanted.length === 0 || wanted.includes(name))
const next = names.values()
async function lane(): Promise<void> {
  for (const name of next) {
    const found = await judge(name)
    print(name, found)
    if (found.failed.length > 0 || found.decided < shareMin * found.decidable) process.exitCode = 1
  }
}
await Promise.all(Array.from({ length: atOnce }, lane))
