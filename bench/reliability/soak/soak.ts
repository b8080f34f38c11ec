import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { booksOf } from '../../../reference-server/integration/books.ts'
import type { GatewayProcess } from '../../../reference-server/integration/gateway-process.ts'
import { type Charged, expectCharges } from '../books.ts'
import { type Draw, drawFrom } from '../draw.ts'
import { idleDescriptorsMax, type Sample } from './growth.ts'
import { type Part, parts } from './parts.ts'
import { type GatewayToSoak, startWorld, type World } from './world.ts'

export interface Soak {
  /** How often each part came to each end. */
  readonly tallies: ReadonlyMap<Part, ReadonlyMap<string, number>>
  readonly samples: readonly Sample[]
  /** Once everybody has gone. */
  readonly after: Sample
  /** What is wrong besides growth, which a short run cannot tell from warming up. */
  readonly problems: readonly string[]
}

export interface SoakOptions extends GatewayToSoak {
  readonly durationMs: number
  readonly seed: number
  /** Told of every sample. */
  readonly onSample?: (sample: Sample, problems: number) => void
}

/** Longer than a node may keep a request waiting, twice. */
const endingMsMax = 90_000
const idleMsMax = 10_000
const samplesAtLeast = 20
const sampleMsMax = 10_000
const problemsMax = 100

/** Uses a gateway process in every way at once for so long, and looks at what it is like then. */
export async function soak({ durationMs, seed, onSample, ...subject }: SoakOptions): Promise<Soak> {
  const world = await startWorld(subject)
  try {
    const { gateway, accountId } = world
    const over = new AbortController()
    const charged = expectCharges()
    const problems: string[] = []
    const tallies = new Map(parts.map((part) => [part, new Map<string, number>()]))
    const using = parts.flatMap((part, at) =>
      Array.from({ length: part.users }, (_, user) =>
        useAgain(world, part, drawFrom(seed + at * 1000 + user), charged, over.signal, (came) => {
          const tally = tallies.get(part)
          tally?.set(came, (tally.get(came) ?? 0) + 1)
          if (!part.allowed.test(came) && problems.length < problemsMax) problems.push(`${part.about}: ${came}`)
        }),
      ),
    )
    const samples: Sample[] = []
    const everyMs = Math.min(sampleMsMax, durationMs / samplesAtLeast)
    for (const endMs = performance.now() + durationMs; performance.now() < endMs; ) {
      await sleep(everyMs)
      const sample = sampleOf(gateway)
      samples.push(sample)
      onSample?.(sample, problems.length)
    }
    over.abort()
    await gateway.control('PUT', '/models/medium/nodes', { state: 'up' })
    await Promise.race([Promise.all(using), sleep(endingMsMax, undefined, { ref: false })])
    world.client.close()
    await world.leaveNodes()
    await idle(gateway)
    const after = sampleOf(gateway)
    problems.push(...charged.problems(await booksOf(gateway, accountId)))
    problems.push(...gateway.said.map((line) => `it wrote to standard error: ${line}`))
    return { tallies, samples, after, problems }
  } finally {
    await world.close()
  }
}

/** One user: begins within a second, and goes on until it is over. */
async function useAgain(
  world: World,
  { use, pauseMs }: Part,
  draw: Draw,
  charged: Charged,
  signal: AbortSignal,
  tell: (came: string) => void,
): Promise<void> {
  await sleep(draw.between(0, 1000))
  while (!signal.aborted) {
    tell(await use(world, draw, charged).catch((error: unknown) => String(error)))
    await sleep(pauseMs / 2 + draw.between(0, pauseMs))
  }
}

/** Waits until nothing is under way and idle connections have been closed; where that never comes, its figures show it. */
async function idle(gateway: GatewayProcess): Promise<void> {
  for (const endMs = performance.now() + idleMsMax; performance.now() < endMs; ) {
    const metrics = await (await fetch(`${gateway.addresses.metricsUrl}/metrics`)).text()
    const isIdle = /^assay_requests_in_flight 0$/m.test(metrics)
    if (isIdle && sampleOf(gateway).descriptors <= idleDescriptorsMax) return
    await sleep(200)
  }
}

function sampleOf({ child }: GatewayProcess): Sample {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return {
    memoryMb: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024),
    descriptors: readdirSync(`/proc/${child.pid}/fd`).length,
  }
}
