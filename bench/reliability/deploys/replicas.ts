import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { booksOf } from '../../../reference-server/integration/books.ts'
import { type GatewayProcess, startGatewayProcess } from '../../../reference-server/integration/gateway-process.ts'
import { startPostgres, startRedis } from '../../../reference-server/integration/machine.ts'
import { failuresOf, startCrowd, startSlowNode, type Tally } from './crowd.ts'
import { type Backend, startTcpSwitch } from './tcp-switch.ts'

export interface Rolled {
  readonly tally: Tally
  /** How often a replica was replaced. */
  readonly replaced: number
  readonly problems: readonly string[]
}

/** Longer than the switch needs to see that a replica is leaving. */
const noticeS = 1
/** Between two replacements. */
const calmMs = 1000

/** Two replicas on PostgreSQL and Redis behind a switch; each in turn gets SIGTERM and a successor, under load. */
export async function rollReplicas(clients: number, rounds: number): Promise<Rolled> {
  const [postgres, redis, node, tcp] = await Promise.all([
    startPostgres(),
    startRedis(),
    startSlowNode(),
    startTcpSwitch(),
  ])
  const running = new Map<GatewayProcess, Backend>()
  const start = async (): Promise<GatewayProcess> => {
    const gateway = await startGatewayProcess([
      ...['--store', postgres.url, '--redis', redis.url, '--dashboard', 'off', '--node', `${node.url}=small`],
      ...['--drain-notice', String(noticeS)],
    ])
    const backend: Backend = { url: gateway.baseUrl, isReady: async () => (await gateway.ready()) === 200 }
    running.set(gateway, backend)
    tcp.add(backend)
    return gateway
  }
  try {
    const [first] = await Promise.all([start(), start()])
    const { id } = await first.control<{ id: string }>('POST', '/accounts', { name: 'rolled', creditUsd: '1000' })
    // A limit that nobody reaches still asks Redis each time.
    const terms = { name: 'rolled', requestsPerMinute: 1_000_000 }
    const { key } = await first.control<{ key: string }>('POST', `/accounts/${id}/keys`, terms)
    const crowd = startCrowd({ baseUrl: tcp.url, key }, { clients, mixed: 2 })
    await sleep(2 * calmMs)
    let replaced = 0
    for (let round = 0; round < rounds; round += 1)
      for (const [gateway, backend] of [...running]) {
        await end(gateway)
        tcp.remove(backend)
        running.delete(gateway)
        await start()
        replaced += 1
        await sleep(calmMs)
      }
    await crowd.leave()
    const [last] = running.keys()
    if (last === undefined) throw new Error('no replica is left')
    const problems = [...failuresOf(crowd.tally), ...crowd.charged.problems(await booksOf(last, id))]
    return { tally: crowd.tally, replaced, problems }
  } finally {
    await tcp.close()
    await Promise.all([...running.keys()].map((gateway) => gateway.kill()))
    await node.close()
    await Promise.all([postgres.stop(), redis.stop()])
  }
}

/** SIGTERM, and what is under way ends first. */
async function end({ child }: GatewayProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const [code] = await gone
  if (code !== 0) throw new Error(`a replica ended with ${code}`)
}
