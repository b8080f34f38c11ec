import { loadavg } from 'node:os'
import { type Figure, figureOf, quantile } from '../server/figures.ts'
import { type Client, type Server, serverCore, startClient, startServer } from '../server/process.ts'
import type { HammeredKeys } from '../server/processes/hammered.ts'
import { apiPath, jsonBody, requestText } from '../server/requests.ts'
import { keepFigures } from './figures.ts'

/**
 * `npm run hammer`: clients that ask again at once, for ever, whatever they are answered. How others fare beside them, with the
 * gateway as it is and with one whose patience never ends, each against the same clients without the hammer a moment before; and
 * what a refusal costs. The gateway has a core to itself; all clients share the other one.
 */
interface Hammer {
  readonly title: string
  readonly connections: number
  readonly request: (keys: HammeredKeys) => string
}

const rounds = 5
const windowMs = 1200
const othersConnections = 4
const connectionsOfCost = 16

const dormantBody = jsonBody.replace('"small"', '"dormant"')
const unknown = requestText(apiPath, 'sk-assay-unknown', jsonBody)
const hammers: readonly Hammer[] = [
  {
    title: 'a key at its limit (429)',
    connections: 64,
    request: ({ limited }) => requestText(apiPath, limited, jsonBody),
  },
  {
    title: 'a model without a node (503)',
    connections: 64,
    request: ({ funded }) => requestText(apiPath, funded, dormantBody),
  },
  {
    title: 'an account without funds (402)',
    connections: 64,
    request: ({ unfunded }) => requestText(apiPath, unfunded, jsonBody),
  },
  { title: 'an unknown key (401)', connections: 64, request: () => unknown },
  { title: 'an unknown key (401)', connections: 1000, request: () => unknown },
]

/** What others and the hammer got in one window. */
interface Window {
  readonly p50: number
  readonly p99: number
  readonly hammeredPerS: number
}

/** How others fared beside a hammer: against without it, round by round. */
interface Beside {
  readonly perS: Figure
  readonly p50: Figure
  readonly p99: Figure
}

const clients = { others: startClient(), hammer: startClient() }
const names = ['endless', 'usual'] as const
const servers = {
  endless: await startServer(serverCore, 'hammered', ['0']),
  usual: await startServer(serverCore, 'hammered'),
}
const rows: string[][] = []
for (const name of names) await ask(clients.others, servers[name], othersRequest(servers[name]), othersConnections)
const servedUs = await costUs(othersRequest(servers.endless))
for (const hammer of hammers) {
  const refusedUs = await costUs(hammer.request(keysOf(servers.endless)))
  const fared: Record<(typeof names)[number], Window[][]> = { endless: [], usual: [] }
  for (let round = 0; round < rounds; round += 1)
    for (const name of names) fared[name].push([await window(servers[name]), await window(servers[name], hammer)])
  const [endless, usual] = names.map((name) => besideOf(fared[name]))
  if (endless === undefined || usual === undefined) throw new Error('both gateways were hammered')
  rows.push([
    `${hammer.title}, ${hammer.connections} connections`,
    `${(refusedUs / servedUs).toFixed(2)} ×`,
    ...[endless, usual].flatMap(({ perS, p50, p99 }) => [perS.median.toFixed(0), spread(p50), spread(p99)]),
  ])
  process.stdout.write(`${rows.at(-1)?.join(' | ')}\n`)
}
await Promise.all([clients.others.stop(), clients.hammer.stop(), servers.endless.stop(), servers.usual.stop()])
keepFigures('hammer', {
  command: 'npm run hammer',
  head: [
    'who hammers',
    'CPU of a refusal, of a reply',
    'endless patience: refusals a second',
    "others' p50",
    "others' p99",
    'as it is: refusals a second',
    "others' p50",
    "others' p99",
  ],
  rows,
})
process.stdout.write(`a reply takes ${servedUs.toFixed(0)} µs of CPU; load average ${loadavg()[0]?.toFixed(1)}\n`)

function keysOf({ key }: Server): HammeredKeys {
  return JSON.parse(key) as HammeredKeys
}

function othersRequest(server: Server): string {
  return requestText(apiPath, keysOf(server).others, jsonBody)
}

function ask(client: Client, { port }: Server, request: string, connections: number, durationMs = windowMs) {
  return client.ask({ port, request, connections, durationMs })
}

/** What others get, beside a hammer if there is one. */
async function window(server: Server, hammer?: Hammer): Promise<Window> {
  const hammering = hammer && ask(clients.hammer, server, hammer.request(keysOf(server)), hammer.connections)
  const { failed, firstMs, sample } = await ask(clients.others, server, othersRequest(server), othersConnections)
  const hammered = await hammering
  if (failed > 0) throw new Error(`${failed} requests of others were not served: ${sample}`)
  // A key at its limit may be served once a minute.
  if (hammered !== undefined && hammered.replies - hammered.failed > 1) throw new Error('a hammer was served')
  const hammeredPerS = ((hammered?.replies ?? 0) * 1000) / windowMs
  return { p50: quantile(firstMs, 0.5), p99: quantile(firstMs, 0.99), hammeredPerS }
}

function besideOf(windows: readonly (readonly Window[])[]): Beside {
  const ratio = (quantile: 'p50' | 'p99'): Figure =>
    figureOf(windows.map(([without, beside]) => (beside?.[quantile] ?? 0) / (without?.[quantile] ?? 0)))
  return {
    perS: figureOf(windows.map(([, beside]) => beside?.hammeredPerS ?? 0)),
    p50: ratio('p50'),
    p99: ratio('p99'),
  }
}

/** Microseconds of CPU for an answer, once the code behind it is compiled. */
async function costUs(request: string): Promise<number> {
  const { endless } = servers
  await ask(clients.hammer, endless, request, connectionsOfCost)
  const beforeMs = endless.cpuMs()
  const { replies } = await ask(clients.hammer, endless, request, connectionsOfCost)
  return ((endless.cpuMs() - beforeMs) * 1000) / replies
}

function spread({ median, least, most }: Figure): string {
  return `${median.toFixed(1)} (${least.toFixed(1)}–${most.toFixed(1)}) ×`
}
