import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { median } from '../../src/load/bootstrap.ts'
import { runShards } from '../../src/load/engine/shards.ts'

/**
 * `npm run bench:load-memory [SECONDS] [long|short]`: the resident memory of a client with 500 streams of 50 events
 * per second, once with one endless stream each and once with streams of two seconds, in the second and in the last tenth
 * of the run.
 */
const seconds = Number(process.argv[2] ?? 600)
const streams = 500
const sampleMs = 2000

async function grow(title: string, eventsEach: number, requestsMax: number | undefined): Promise<void> {
  const server = spawn(process.execPath, [join(import.meta.dirname, 'server.ts'), 'paced', String(eventsEach)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url = '']: string[] = await once(createInterface(server.stdout), 'line')
  const limitMs = (seconds + 60) * 1000
  const samples: number[] = []
  const timer = setInterval(() => samples.push(process.memoryUsage().rss / 1e6), sampleMs)
  const { results } = await runShards(
    {
      url,
      headers: { 'Content-Type': 'application/json' },
      model: 'small',
      stream: true,
      maxTokens: 1000,
      promptChars: 60,
      arrivals: { kind: 'closed', connections: streams },
      durationMs: seconds * 1000,
      ...(requestsMax !== undefined && { requestsMax }),
      warmupMs: 0,
      drainMs: limitMs,
      limits: { connectMs: limitMs, headMs: limitMs, firstContentMs: limitMs, idleMs: limitMs, totalMs: limitMs },
      validateShare: 0.01,
      objectives: [],
      leavingShare: 0,
      seed: 1,
      insecure: false,
      shards: 1,
      stamped: false,
    },
    {},
  )
  clearInterval(timer)
  server.kill('SIGKILL')
  const tenth = Math.floor(samples.length / 10)
  const [early, late] = [samples.slice(tenth, tenth * 2), samples.slice(-tenth)].map(median)
  const [result] = results
  console.log(`${title}: ${result?.outcomes.ok} streams, ${result?.events} events in ${seconds} s`)
  console.log(
    `  ${early?.toFixed(0)} MB in the second tenth, ${late?.toFixed(0)} MB in the last: ratio ${((late ?? 0) / (early ?? 1)).toFixed(3)} (goal ≤ 1.1)`,
  )
}

const part = process.argv[3] ?? 'both'
if (part !== 'short') await grow('one stream each', seconds * 50, streams)
if (part !== 'long') await grow('streams of two seconds', 100, undefined)
process.exit(0)
