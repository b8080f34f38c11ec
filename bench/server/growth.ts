import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepRows } from '../reliability/figures.ts'
import { type Figure, figureOf } from './figures.ts'
import { type Client, type Server, serverCore, startClient, startServer } from './process.ts'
import { apiPath, jsonBody, requestText, slowStreamBody } from './requests.ts'

/**
 * `npm run bench:growth`: what a JSON reply costs a gateway that has much of something. For each thing a gateway of each size runs at the
 * same time, and all are asked in turn, so that the sizes are compared with what the machine does at the moment. With names of axes
 * only those rows are measured and kept.
 */
interface Axis {
  readonly title: string
  /** What `grown.ts` fills. */
  readonly name: 'accounts' | 'keys' | 'models' | 'nodes' | 'streams' | 'entries'
  readonly store: 'memory' | 'sqlite'
  readonly most: number
}

const sizes = [10, 1000, 10_000, 100_000, 1_000_000]
const axes: readonly Axis[] = [
  { title: 'accounts with a key each', name: 'accounts', store: 'memory', most: 1_000_000 },
  { title: 'keys of one account', name: 'keys', store: 'memory', most: 1_000_000 },
  { title: 'models with a node each', name: 'models', store: 'memory', most: 100_000 },
  { title: 'nodes of one model', name: 'nodes', store: 'memory', most: 100_000 },
  { title: 'running streams', name: 'streams', store: 'memory', most: 10_000 },
  { title: 'entries of the ledger', name: 'entries', store: 'memory', most: 1_000_000 },
  { title: 'entries of the ledger, SQLite store', name: 'entries', store: 'sqlite', most: 1_000_000 },
]
const rounds = 7
const windowMs = 500
/** Before it is measured, each gateway has given so many replies: until then the cost is that of compiling. */
const warmUpReplies = 10_000
const connections = 16

/** A gateway of one size. */
interface Grown {
  readonly size: number
  readonly server: Server
  readonly streams: readonly Socket[]
  readonly cpuUs: number[]
  residentMb: number
}

// Each process that is started ends with this one.
process.setMaxListeners(sizes.length * axes.length + 1)
const folder = mkdtempSync(join(tmpdir(), 'assay-growth-'))
const client = startClient()
const only = process.argv.slice(2)
const rows: string[][] = []
for (const axis of axes) if (only.length === 0 || only.includes(axis.name)) rows.push(await measureAxis(axis))
await client.stop()
rmSync(folder, { recursive: true, force: true })
const head = [
  'CPU of a JSON reply beside so many',
  ...sizes.map((size) => size.toLocaleString('en')),
  'memory for each',
]
keepRows('growth', { command: 'npm run bench:growth', head, rows })
process.stdout.write(`load average ${loadavg()[0]?.toFixed(1)}\n`)

async function measureAxis(axis: Axis): Promise<string[]> {
  const grown: Grown[] = []
  for (const size of sizes.filter((one) => one <= axis.most)) grown.push(await grow(axis, size))
  for (const one of grown) {
    one.residentMb = one.server.residentMb()
    for (let replies = 0; replies < warmUpReplies; ) replies += (await ask(client, one, windowMs)).replies
  }
  for (let round = 0; round < rounds; round += 1)
    for (const one of grown) one.cpuUs.push((await ask(client, one, windowMs)).cpuUs)
  for (const { streams } of grown) for (const socket of streams) socket.destroy()
  await Promise.all(grown.map(({ server }) => server.stop()))
  const row = [axis.title, ...sizes.map((_, at) => cell(grown, at)), memoryEach(grown)]
  process.stdout.write(`${row.join(' | ')}\n`)
  return row
}

async function grow({ name, store }: Axis, size: number): Promise<Grown> {
  const where = store === 'memory' ? store : `sqlite:${join(folder, `books-${size}.sqlite`)}`
  const server = await startServer(serverCore, 'grown', [name, String(size), where])
  const streams = name === 'streams' ? await openStreams(server, size) : []
  return { size, server, streams, cpuUs: [], residentMb: 0 }
}

/** Streams that have begun and say nothing more. */
async function openStreams({ port, key }: Server, count: number): Promise<readonly Socket[]> {
  const request = requestText(apiPath, key, slowStreamBody)
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(100, count - sockets.length) }, async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      socket.write(request)
      const [answer]: Buffer[] = await once(socket, 'data')
      if (!String(answer).startsWith('HTTP/1.1 200')) throw new Error(`a stream did not begin: ${answer}`)
      return socket
    })
    sockets.push(...(await Promise.all(some)))
  }
  return sockets
}

/** So many replies, and the microseconds of CPU of the gateway for one. */
async function ask(asking: Client, { server }: Grown, durationMs: number) {
  const request = requestText(apiPath, server.key, jsonBody)
  const beforeMs = server.cpuMs()
  const { replies, failed, sample } = await asking.ask({ port: server.port, request, connections, durationMs })
  if (failed > 0) throw new Error(`${failed} of ${replies} replies failed, so the window is void: ${sample}`)
  return { replies, cpuUs: ((server.cpuMs() - beforeMs) * 1000) / replies }
}

/** The first size's cost, and that of the others as a multiple of it in the same round. */
function cell(grown: readonly Grown[], at: number): string {
  const [first, one] = [grown[0], grown[at]]
  if (first === undefined || one === undefined) return ''
  if (at === 0) return `${figureOf(one.cpuUs).median.toFixed(0)} µs`
  const ratio: Figure = figureOf(one.cpuUs.map((us, round) => us / (first.cpuUs[round] ?? Number.NaN)))
  return `${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)}) ×`
}

function memoryEach(grown: readonly Grown[]): string {
  const [first, last] = [grown[0], grown.at(-1)]
  if (first === undefined || last === undefined) return ''
  const bytes = ((last.residentMb - first.residentMb) * 1024 * 1024) / (last.size - first.size)
  return bytes < 1024 ? `${bytes.toFixed(0)} B` : `${(bytes / 1024).toFixed(1)} kB`
}
