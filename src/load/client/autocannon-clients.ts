import type { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import autocannon from 'autocannon'

/** The internals of an autocannon client that a lane takes over. They are undocumented: the version is pinned and tested. */
export interface CannonClient extends EventEmitter {
  parser: { execute(bytes: Buffer): unknown }
  conn?: Duplex
  destroyed: boolean
  readonly pipelinedRequests: { addBody(bytes: Buffer): void; clear(): void }
  setBody(body: string): void
  getRequestBuffer(): Buffer
  destroy(): void
  _connect(): void
  _doRequest(): void
  _destroyConnection(): void
}

const insides = [
  ['parser', 'object'],
  ['pipelinedRequests', 'object'],
  ['setBody', 'function'],
  ['getRequestBuffer', 'function'],
  ['destroy', 'function'],
  ['_connect', 'function'],
  ['_doRequest', 'function'],
  ['_destroyConnection', 'function'],
] as const

/** Throws, with its name, when a member that the lane uses is not what it was. */
export function assertInsides(client: object): asserts client is CannonClient {
  for (const [name, type] of insides) {
    const found = typeof Reflect.get(client, name)
    if (found !== type)
      throw new Error(
        `autocannon has changed: client.${name} is ${found}, not ${type}. Install the version that package.json pins.`,
      )
  }
}

export interface CannonOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** A first body; each request sets its own. */
  readonly body: string
  readonly connections: number
  /** Takes over a client, which then neither connects nor sends by itself. */
  adopt(client: CannonClient): void
}

/** Far away: the engine decides when the run ends and when a request has failed. */
const neverS = 1_000_000

/** Lets autocannon make its clients, one per connection. Its clock, rates, timeouts and counters are not used. */
export function startClients({ url, headers, body, connections, adopt }: CannonOptions): { stop(): Promise<void> } {
  const run = autocannon({
    url,
    method: 'POST',
    headers: { ...headers },
    body,
    connections,
    duration: neverS,
    timeout: neverS,
    sampleInt: 50,
    setupClient(client: object) {
      assertInsides(client)
      client._connect = () => undefined
      client._doRequest = () => undefined
      client._destroyConnection = () => client.conn?.destroy()
      client.pipelinedRequests.addBody = () => undefined
      adopt(client)
    },
  } as autocannon.Options)
  return {
    async stop() {
      ;(run as unknown as { stop(): void }).stop()
      await run
    },
  }
}
