import { once } from 'node:events'
import type { Server } from 'node:http'
import { systemClock } from './clock.ts'
import { addDemoKeys, type Demo, demoAccounts, dormantModel } from './demo.ts'
import { honestSeams } from './gateway/honest-seams.ts'
import { defaultModels, type Model } from './gateway/models.ts'
import { type Seams, type Wrap, wrapSeams } from './gateway/seams.ts'
import { gatewayServer } from './gateway/server.ts'
import { keyring } from './keys/keyring.ts'
import { keyLimits } from './keys/limits.ts'
import type { PaceName } from './network/pace.ts'
import { nodeRegistry } from './network/registry.ts'
import { simulateNode } from './network/simulated-node.ts'

export interface GatewayOptions {
  readonly host?: string
  /** 0 takes any free port. */
  readonly port?: number
  /** The service's short name, part of every key (C2.6). */
  readonly service?: string
  readonly seed?: number
  readonly pace?: PaceName
  readonly demo?: boolean
  readonly models?: readonly Model[]
  readonly wraps?: readonly Wrap[]
  /** Told of errors that are neither an answer nor the client's doing. */
  readonly onBug?: (error: unknown) => void
}

export interface RunningGateway {
  readonly baseUrl: string
  readonly demo?: Demo
  /** Ends at once: open connections are cut. */
  close(): Promise<void>
}

/** Wires a gateway and listens. Everything that it remembers belongs to this one gateway. */
export async function startGateway(options: GatewayOptions = {}): Promise<RunningGateway> {
  const { host = '127.0.0.1', port = 0, service = 'assay', seed = 1, pace = 'instant', onBug = reportBug } = options
  const { demo: isDemo = false, models: served = defaultModels, wraps = [] } = options
  const ring = keyring()
  const demoKeys = isDemo ? addDemoKeys(ring, service, seed) : undefined
  const nodes = served.map(({ id }) => simulateNode(systemClock, { id: `sim-${id}`, serves: [id], seed, pace }))
  const parts = {
    models: isDemo ? [...served, dormantModel] : served,
    keyring: ring,
    limits: keyLimits(systemClock),
    registry: nodeRegistry(nodes),
    clock: systemClock,
    isFunded: (accountId: string) => isDemo && demoAccounts.get(accountId)?.funded === true,
    onBug,
  }
  const seams: Seams = wrapSeams(
    honestSeams(parts, () => seams),
    wraps,
  )
  const server = gatewayServer(seams, onBug)
  server.listen(port, host)
  await once(server, 'listening')
  const [first] = served
  return {
    baseUrl: addressOf(server),
    ...(demoKeys !== undefined && {
      demo: { ...demoKeys, model: first?.id ?? dormantModel.id, unavailableModel: dormantModel.id },
    }),
    close: () => closed(server),
  }
}

function addressOf(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no network address')
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${host}:${address.port}`
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return
  const end = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await end
}

function reportBug(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
}
