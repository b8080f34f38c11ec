import { once } from 'node:events'
import { connect } from 'node:net'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { startNode } from '../reference-server/node-server/node-server.ts'
import { replySeed, schedule } from '../reference-server/node-server/script/timing.ts'

/**
 * A thousand concurrent streams from one node: how late each event is against the schedule of its reply. The client is a
 * separate worker. Both use the machine's clock, so lateness includes the way to the client.
 */
const streams = 1000
const chunks = 200
const timing = { firstToken: { mean: 300, sd: 80 }, gap: { mean: 50, sd: 12, min: 5 } }

interface Client {
  readonly port: number
  readonly streams: number
}

async function main(): Promise<void> {
  const node = await startNode({ models: ['small'], timing })
  node.script('drift', { fragments: Array.from({ length: chunks }, (_, index) => `${index} `) })
  const client = new Worker(new URL(import.meta.url), { workerData: { port: Number(new URL(node.url).port), streams } })
  const cpu = process.cpuUsage()
  const [arrivals]: readonly (readonly (readonly number[])[])[] = await once(client, 'message')
  const records = node.records('drift')
  const { user, system } = process.cpuUsage(cpu)
  const late = records.flatMap(({ number, arrivedAtMs, headers }) => {
    const due = schedule(timing, { seed: replySeed(1, number), chunks, promptTokens: 0, concurrent: 1 })
    const came = arrivals?.[Number(headers['x-stream'])] ?? []
    return due.map((ms, index) => (came[index] ?? Number.POSITIVE_INFINITY) - (arrivedAtMs + ms))
  })
  late.sort((one, other) => one - other)
  const at = (part: number): string => `${(late[Math.ceil(part * late.length) - 1] ?? Number.NaN).toFixed(1)} ms`
  console.log(`${records.length} streams of ${chunks} chunks from one node, ${late.length} events`)
  console.log(`late by: p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, max ${at(1)}`)
  console.log(`CPU of node and client together: ${((user + system) / 1e6).toFixed(1)} s`)
  await node.close()
}

/** Reads every stream and reports when each chunk came, in milliseconds since 1970. */
async function runClient({ port, streams: count }: Client): Promise<void> {
  parentPort?.postMessage(await Promise.all(Array.from({ length: count }, (_, index) => readStream(port, index))))
}

function readStream(port: number, index: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const content = 'assay-script-drift'
    const body = JSON.stringify({ model: 'small', messages: [{ role: 'user', content }], stream: true })
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: node\r\nx-stream: ${index}\r\nconnection: close\r\n`
    const times: number[] = []
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`)
    })
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      const nowMs = performance.timeOrigin + performance.now()
      for (let found = text.split('"content"').length - 1; found > 0; found -= 1) times.push(nowMs)
    })
    socket.on('end', () => resolve(times))
    socket.on('error', reject)
  })
}

if (isMainThread) await main()
else await runClient(workerData)
