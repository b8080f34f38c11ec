import { join } from 'node:path'
import { packageFolder } from '../../src/fixtures.ts'
import { portkey } from '../matrix/servers/portkey.ts'
import { type Figure, figureOf, quantile } from './figures.ts'
import { type Client, otherCore, type Server, serverCore, startServer } from './process.ts'
import { apiPath, requestText, streamBody } from './requests.ts'

/** What stands in front of a node costs its clients and its machine. */
export interface Forwarded {
  readonly name: string
  readonly streams: number
  /** Milliseconds that the first text comes later than from the node itself: the median stream's, and the slowest hundredth's. */
  readonly addedP50Ms: Figure
  readonly addedP99Ms: Figure
  /** Microseconds of CPU for an event; NaN for the node itself. */
  readonly cpuUs: Figure
}

const crowds = [1, 20, 100]
const rounds = 5
const windowMs = 2500
const warmUpMs = 1500
/** About the length of a stream. */
const spreadMs = 350

interface Path {
  readonly name: string
  readonly server: Server
  readonly path: string
  /** Lines of the request's head that it needs. */
  readonly head?: readonly string[]
}

/** The peer as `npm run matrix` installs it. Returns the file that starts it. */
function installPortkey(): string {
  const [version = ''] = portkey.versions
  const folder = join(packageFolder, '.cache', 'bench', `portkey-${version}`)
  portkey.install(folder, version)
  return join(folder, 'node_modules', '@portkey-ai', 'gateway', 'build', 'start-server.js')
}

/** A slow node shares the client's core. It is asked directly, through a proxy that only copies bytes, and through the gateway. */
export async function measureForwarding(replies: string, client: Client): Promise<readonly Forwarded[]> {
  const node = await startServer(otherCore, 'floor', [replies])
  const url = `http://127.0.0.1:${node.port}`
  const copying = await startServer(serverCore, 'copying-proxy', [url])
  const gateway = await startServer(serverCore, 'ours', ['memory', url])
  const peer = await startServer(serverCore, 'portkey', [installPortkey()])
  const paths: readonly Path[] = [
    { name: 'direct', server: node, path: '/v1/chat/completions' },
    { name: 'copying', server: copying, path: '/v1/chat/completions' },
    { name: 'gateway', server: gateway, path: apiPath },
    {
      name: 'portkey',
      server: peer,
      path: '/v1/chat/completions',
      head: ['x-portkey-provider: openai', `x-portkey-custom-host: ${url}/v1`, 'authorization: Bearer sk-bench'],
    },
  ]
  try {
    for (const path of paths) await measure(path, 100, client, warmUpMs)
    const forwarded: Forwarded[] = []
    for (const streams of crowds) forwarded.push(...(await measureCrowd(paths, streams, client)))
    return forwarded
  } finally {
    await Promise.all(paths.map(({ server }) => server.stop()))
  }
}

async function measureCrowd(paths: readonly Path[], streams: number, client: Client): Promise<readonly Forwarded[]> {
  const windows = paths.map(({ name }) => ({ name, p50: [] as number[], p99: [] as number[], cpuUs: [] as number[] }))
  for (let round = 0; round < rounds; round += 1) {
    let direct = { p50: Number.NaN, p99: Number.NaN }
    for (const [index, path] of paths.entries()) {
      const window = await measure(path, streams, client, windowMs)
      if (path.name === 'direct') direct = window
      windows[index]?.p50.push(window.p50 - direct.p50)
      windows[index]?.p99.push(window.p99 - direct.p99)
      windows[index]?.cpuUs.push(window.cpuUs)
    }
  }
  return windows
    .filter(({ name }) => name !== 'direct')
    .map(({ name, p50, p99, cpuUs }) => ({
      name,
      streams,
      addedP50Ms: figureOf(p50),
      addedP99Ms: figureOf(p99),
      cpuUs: figureOf(cpuUs),
    }))
}

async function measure({ name, server, path, head }: Path, connections: number, client: Client, durationMs: number) {
  const request = requestText(path, server.key, streamBody, head)
  const beforeMs = server.cpuMs()
  const order = { port: server.port, request, connections, durationMs, spreadMs }
  const { replies, failed, firstMs, events, sample } = await Promise.race([client.ask(order), server.ended])
  if (replies === 0) throw new Error(`no stream of ${name} came in ${durationMs} ms, so the window is void`)
  if (failed > 0) throw new Error(`${failed} of ${replies} streams of ${name} failed, so the window is void: ${sample}`)
  const cpuUs = ((server.cpuMs() - beforeMs) * 1000) / (replies * events)
  return { p50: quantile(firstMs, 0.5), p99: quantile(firstMs, 0.99), cpuUs }
}
