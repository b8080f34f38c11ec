import { setTimeout as sleep } from 'node:timers/promises'
import type { Wrap } from '../reference-server/gateway/seams.ts'
import { packageFolder } from '../src/fixtures.ts'
import { startEmbedded } from '../src/run/embedded.ts'
import { run } from '../src/run/run.ts'
import { readSettings } from '../src/run/settings.ts'
import { decidedOf } from './decided.ts'
import { keepFigures } from './reliability/figures.ts'

/**
 * `npm run bench:latency`: how long a run takes against a gateway whose every answer begins some milliseconds late, for a client that has a
 * key and nothing else. Keeps the curve for docs/speed.md.
 */
const latenciesMs = [0, 10, 30, 100, 300, 1000]
/** Enough for every latency above: the time is what is measured. */
const maxTimeS = 900

function answeringLate(ms: number): Wrap {
  return {
    serve: (real) => async (call) => {
      await sleep(ms)
      await real(call)
    },
  }
}

async function judge(ms: number): Promise<readonly string[]> {
  const { known, close } = await startEmbedded({ seed: 1, wraps: [answeringLate(ms)], withNodes: false })
  const address = ['--base-url', known.baseUrl, '--api-path', '/api/v1', '--api-key', known.keys.main ?? '']
  const { plan } = readSettings([...address, '--seed', '1', '--max-time', String(maxTimeS)], {}, packageFolder)
  const report = await run(plan).finally(close)
  const { decided, decidable, durationS, requests, failed } = decidedOf({
    run: report.run,
    results: report.results.map(({ id, verdict, ...result }) => ({ id, ...result, ...verdict, verdict: verdict.kind })),
  })
  const row = [`${ms} ms`, `${durationS.toFixed(0)} s`, String(requests), `${decided} of ${decidable}`]
  process.stdout.write(`${row.join(', ')} decided, ${failed.length} failed\n`)
  return row
}

const rows: (readonly string[])[] = []
for (const ms of latenciesMs) rows.push(await judge(ms))
keepFigures('latency', {
  command: 'npm run bench:latency',
  head: ['first byte of every answer after', 'the run takes', 'requests', 'checks decided'],
  rows,
})
