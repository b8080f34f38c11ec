import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { systemClock } from './clock.ts'
import { type Closers, closeAll, openOrClose } from './closers.ts'
import { type ControlOptions, controlServer } from './control/control-server.ts'
import type { DashboardOptions, StartedDashboard, startDashboard } from './dashboard/start.ts'
import { addDemo, type Demo, dormantModel } from './demo.ts'
import { createDrain } from './gateway/drain.ts'
import { honestSeams } from './gateway/honest-seams.ts'
import { defaultModels, type Model } from './gateway/models.ts'
import { type Call, type Seams, type Wrap, wrapSeams } from './gateway/seams.ts'
import { gatewayServer } from './gateway/server.ts'
import { keyLimits, type Limits } from './keys/limits.ts'
import { keyPasses } from './keys/passes.ts'
import { createPatience } from './keys/patience.ts'
import { parseRate, parseUsd } from './ledger/money.ts'
import { addressOf, closed, listen } from './listening.ts'
import type { HttpNodeOptions } from './network/http/http-node.ts'
import { defaultNodeLimits, type NodeLimits } from './network/node-failure.ts'
import { openNetwork } from './network/open-network.ts'
import type { PaceName } from './network/pace.ts'
import { type EndedRequest, watchActivity } from './operations/activity.ts'
import { type OperationsOptions, operationsServer } from './operations/operations-server.ts'
import { recentRequests } from './operations/recent.ts'
import { requestLogWriter } from './operations/request-log.ts'
import { watchTrouble } from './operations/watch-trouble.ts'
import { setClock } from './set-clock.ts'
import { openStore } from './store/open-store.ts'
import type { Store } from './store/store.ts'

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
  /** Servers of the chat-completions format. Without any, every model has a simulated node. */
  readonly nodes?: readonly HttpNodeOptions[]
  /** Gives a simulated node to each model that no node of `nodes` serves. */
  readonly simulated?: boolean
  readonly nodeLimits?: Partial<NodeLimits>
  /** How often a stream whose first token is late gets a comment; 15 s by default, 0 for never. */
  readonly heartbeatMs?: number
  readonly wraps?: readonly Wrap[]
  /**
   * How often a key, or an address without a known key, may be refused with 401, 402, 429 or 503 in a minute before its refusals come
   * late and ask for a longer wait; 1,200 by default, 0 for any number.
   */
  readonly refusalsPerMinute?: number
  /** `memory` (the default here), `sqlite:FILE` or `postgres://…`. */
  readonly store?: string
  /** Shares the limits of keys between replicas. */
  readonly redis?: string
  /** Serves the control API; its token is random when none is given. */
  readonly control?: { readonly host?: string; readonly port?: number; readonly token?: string }
  /** Serves the dashboard for owners of accounts and for the operator. */
  readonly dashboard?: DashboardOptions
  /** Serves health, readiness and metrics, without a key. */
  readonly metrics?: { readonly host?: string; readonly port?: number }
  /** For how many days the log of requests is kept, 0 for none. By default 7 where there is a dashboard to read it. */
  readonly requestLogDays?: number
  /** Told of every request when it is over. */
  readonly onRequest?: (request: EndedRequest) => void
  /** How long a connection may be idle; announced in `Keep-Alive`. */
  readonly keepAliveMs?: number
  /** Told why the store or the shared limits cannot be relied on, and when that is over (`undefined`). */
  readonly onTrouble?: (trouble: string | undefined) => void
  /** What the network's token is worth, in USD. */
  readonly rateUsd?: string
  readonly freeCreditUsd?: string
  /** Told of errors that are neither an answer nor the client's doing. */
  readonly onBug?: (error: unknown) => void
}

/** Well below the 30 s after which the first proxies give up. */
const HEARTBEAT_MS = 15_000

export interface RunningGateway {
  readonly baseUrl: string
  readonly control?: { readonly url: string; readonly token: string }
  readonly metricsUrl?: string
  /** The operator's password is the given one, or a random one. */
  readonly dashboard?: { readonly url: string; readonly operatorPassword: string }
  readonly demo?: Demo
  /** How many requests are under way. */
  readonly underWay: number
  /**
   * Serves on for `noticeMs` (0) while `/ready` is a 503, then refuses new requests with a 503, and resolves once those under way
   * have ended, the time is up or the signal aborts. `close` then ends the rest.
   */
  drain(withinMs: number, signal?: AbortSignal, noticeMs?: number): Promise<void>
  /** Refuses new requests with a 503 until those under way have ended, at most 30 s, and then serves again. */
  restart(): Promise<void>
  /** Ends at once: open connections are cut. */
  close(): Promise<void>
}

const REQUEST_LOG_DAYS = 7

/**
 * Wires a gateway and listens. Everything it remembers belongs to this one gateway and its store. Where a part cannot start, those
 * that did are closed again.
 */
export function startGateway(options: GatewayOptions = {}): Promise<RunningGateway> {
  return openOrClose((closers) => openGateway(options, closers), options.onBug ?? reportBug)
}

/** What stands behind every request, whoever it comes to. */
async function openParts(options: GatewayOptions, closers: Closers) {
  const { service = 'assay', seed = 1, pace = 'instant', onBug = reportBug } = options
  const { demo: isDemo = false, models: served = defaultModels, nodes: real = [] } = options
  const money = readMoney(options)
  const clock = setClock(systemClock)
  const store = await openStore(options.store ?? 'memory', clock)
  closers.push(store.close)
  const limits = options.redis === undefined ? keyLimits(systemClock) : await openRedis(options.redis)
  closers.push(limits.close)
  const beside = besideRequests(options, store)
  closers.push(() => beside.log?.flush())
  const known = { service, seed, rate: money.rate, clock, models: served, dashboard: options.dashboard !== undefined }
  const demo = isDemo ? await addDemo(store, known) : undefined
  const nodeLimits = { ...defaultNodeLimits, ...options.nodeLimits }
  const simulated = options.simulated ?? real.length === 0
  const wanted = { models: served, nodes: real, simulated, limits: nodeLimits, seed, pace }
  const network = await openNetwork(systemClock, wanted)
  closers.push(network.close)
  const parts = {
    models: isDemo ? [...served, dormantModel] : served,
    store,
    limits,
    patience: createPatience(systemClock, options.refusalsPerMinute),
    registry: network.registry,
    nodeLimits,
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
    clock: systemClock,
    drain: createDrain(),
    service,
    ...money,
    onBug,
  }
  return { parts, beside, nodes: network.nodes, ...(demo !== undefined && { demo }) }
}

async function openGateway(options: GatewayOptions, closers: Closers): Promise<RunningGateway> {
  const { host = '127.0.0.1', port = 0, wraps = [] } = options
  const { parts, demo, nodes, ...opened } = await openParts(options, closers)
  const { around, ...beside } = opened.beside
  const seams: Seams = wrapSeams(
    honestSeams(parts, () => seams),
    [...wraps, ...around],
  )
  const operatorPassword = options.dashboard?.operatorPassword ?? randomBytes(12).toString('base64url')
  const dashboard =
    options.dashboard &&
    (await openDashboard(options.dashboard, options, {
      ...parts,
      ...beside,
      seams,
      nodes,
      operatorPassword,
      apiUrl: () => `${addressOf(server)}/api/v1`,
    }))
  closers.push(() => dashboard?.close())
  const server = gatewayServer(seams, parts.onBug, parts.drain, dashboard?.take, options.keepAliveMs)
  await listen(server, port, host)
  closers.push(() => closed(server))
  const control = options.control && (await startControl(options.control, { ...parts, seams }))
  closers.push(() => control && closed(control.server))
  const endWatch = options.onTrouble && watchTrouble([parts.store, parts.limits], options.onTrouble)
  closers.push(() => endWatch?.())
  const operations = options.metrics && (await startOperations(options.metrics, { ...parts, ...beside }))
  closers.push(() => operations && closed(operations))
  return {
    baseUrl: addressOf(server),
    ...(control !== undefined && { control: { url: addressOf(control.server), token: control.token } }),
    ...(operations !== undefined && { metricsUrl: addressOf(operations) }),
    ...(dashboard !== undefined && {
      dashboard: { url: `${dashboard.url ?? addressOf(server)}/dashboard/`, operatorPassword },
    }),
    ...(demo !== undefined && { demo }),
    get underWay() {
      return parts.drain.underWay
    },
    drain: parts.drain.run,
    restart: () => seams.restart(),
    close: () => closeAll(closers),
  }
}

/** What stands around every request: passes of the playground, figures, the log, and whoever asked to be told. */
function besideRequests({ onRequest, dashboard, metrics, requestLogDays }: GatewayOptions, store: Store) {
  const keptDays = requestLogDays ?? (dashboard === undefined ? 0 : REQUEST_LOG_DAYS)
  const log = keptDays > 0 ? requestLogWriter(store, systemClock, keptDays) : undefined
  const recent = recentRequests()
  const isTold = (log ?? dashboard ?? onRequest) !== undefined
  const tell = (request: EndedRequest, call: Call): void => {
    log?.add(request, call)
    if (dashboard !== undefined) recent.add(request, call)
    onRequest?.(request)
  }
  const activity = watchActivity(systemClock, isTold ? tell : undefined)
  const passes = keyPasses()
  const isWatched = (dashboard ?? metrics ?? onRequest ?? log) !== undefined
  const around = [...(dashboard === undefined ? [] : [passes.wrap]), ...(isWatched ? [activity.wrap] : [])]
  return { ...(log !== undefined && { log }), activity, recent, passes, around }
}

function readMoney({ rateUsd = '1', freeCreditUsd = '1' }: GatewayOptions) {
  const [rate, freeCredit] = [parseRate(rateUsd), parseUsd(freeCreditUsd)]
  if (rate === undefined || freeCredit === undefined)
    throw new RangeError('the rate and the free credit must be sums of dollars')
  return { rate, freeCredit }
}

type ControlOfGateway = Omit<ControlOptions, 'token'>

async function startControl(
  { host = '127.0.0.1', port = 0, token }: NonNullable<GatewayOptions['control']>,
  parts: ControlOfGateway,
) {
  const options = { ...parts, token: token ?? randomBytes(24).toString('hex') }
  const server = controlServer(options)
  await listen(server, port, host)
  return { server, token: options.token }
}

async function startOperations(
  { host = '127.0.0.1', port = 0 }: NonNullable<GatewayOptions['metrics']>,
  parts: OperationsOptions,
): Promise<Server> {
  const server = operationsServer(parts)
  await listen(server, port, host)
  return server
}

/** Loaded only where it is used: a gateway in somebody's tests starts without a web framework. */
async function openDashboard(
  dashboard: DashboardOptions,
  { store = 'memory', redis }: GatewayOptions,
  parts: Omit<Parameters<typeof startDashboard>[1], 'storeName' | 'sharesLimits'>,
): Promise<StartedDashboard> {
  const { startDashboard: start } = await import('./dashboard/start.ts')
  return start(dashboard, { ...parts, storeName: store.replace(/:.*/s, ''), sharesLimits: redis !== undefined })
}

/** Loaded only where it is used. */
async function openRedis(url: string): Promise<Limits> {
  const { redisLimits } = await import('./keys/redis-limits.ts')
  return redisLimits(url)
}

function reportBug(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
}
