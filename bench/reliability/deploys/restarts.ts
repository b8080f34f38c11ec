import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { booksOf } from '../../../reference-server/integration/books.ts'
import { type GatewayProcess, startGatewayProcess } from '../../../reference-server/integration/gateway-process.ts'
import { failuresOf, startCrowd, startSlowNode, type Tally } from './crowd.ts'

export interface Restarted {
  readonly tally: Tally
  /** The least number of streams that were under way when a restart began. */
  readonly underWayLeast: number
  readonly slowestMs: number
  readonly problems: readonly string[]
}

/** Nearly all: some are between two streams. */
const busyShare = 0.9
const busyMsMax = 90_000

/** Restarts a gateway on SQLite again and again under so many streams. */
export async function restartUnder(streams: number, restarts: number): Promise<Restarted> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-restarts-'))
  const node = await startSlowNode()
  const gateway = await startGatewayProcess([
    ...['--store', `sqlite:${join(folder, 'books.sqlite')}`, '--dashboard', 'off'],
    ...['--node', `${node.url}=small`],
  ])
  try {
    const { id } = await gateway.control<{ id: string }>('POST', '/accounts', { name: 'busy', creditUsd: '1000' })
    const { key } = await gateway.control<{ key: string }>('POST', `/accounts/${id}/keys`, { name: 'busy' })
    const crowd = startCrowd({ baseUrl: gateway.baseUrl, key }, { clients: streams })
    let [underWayLeast, slowestMs] = [Number.POSITIVE_INFINITY, 0]
    for (let turn = 0; turn < restarts; turn += 1) {
      underWayLeast = Math.min(underWayLeast, await busy(gateway, streams * busyShare))
      const startMs = performance.now()
      await gateway.control('POST', '/restart', {})
      slowestMs = Math.max(slowestMs, performance.now() - startMs)
      node.clearRecords()
    }
    await crowd.leave()
    const problems = [
      ...failuresOf(crowd.tally, 'shutting_down'),
      ...crowd.charged.problems(await booksOf(gateway, id)),
      ...gateway.said.map((line) => `it wrote to standard error: ${line}`),
      ...(underWayLeast < streams * busyShare ? [`only ${underWayLeast} streams were under way at a restart`] : []),
    ]
    return { tally: crowd.tally, underWayLeast, slowestMs, problems }
  } finally {
    await gateway.kill()
    await node.close()
    rmSync(folder, { recursive: true })
  }
}

/** Waits until so many requests are under way, but not for ever, and returns how many are. */
async function busy({ addresses }: GatewayProcess, enough: number): Promise<number> {
  for (const endMs = performance.now() + busyMsMax; ; ) {
    const metrics = await (await fetch(`${addresses.metricsUrl}/metrics`)).text()
    const count = Number(/^assay_requests_in_flight (\d+)$/m.exec(metrics)?.[1])
    if (count >= enough || performance.now() > endMs) return count
    await sleep(50)
  }
}
