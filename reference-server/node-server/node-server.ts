import { type Clock, systemClock } from '../clock.ts'
import { type BlackHolePort, blackHolePort } from './control/black-hole-port.ts'
import { startControl } from './control/control.ts'
import { type NodeState, readState } from './control/state.ts'
import type { DialectName } from './dialect/dialects.ts'
import type { RunningNode } from './running-node.ts'
import { readTiming } from './script/read-timing.ts'
import { scriptStore } from './script/script-store.ts'
import type { Timing } from './script/timing-profiles.ts'
import { nodeListener, urlOf } from './send/listener.ts'
import { onOwnPort } from './send/own-port.ts'
import { nodeRecords } from './send/records.ts'
import { exactModels, forwardedModels } from './send/served-models.ts'
import { type NodeService, serveNode } from './send/service.ts'

export interface NodeOptions {
  readonly host?: string
  /** 0 takes any free port. */
  readonly port?: number
  /** Without it there is no control API. */
  readonly control?: { readonly host: string; readonly port: number }
  readonly models: readonly string[]
  /** Also serve a model under the name by which a gateway forwards it. */
  readonly forwarded?: boolean
  /** Such names, which nodes of one model learn together. */
  readonly learned?: Set<string>
  readonly timing?: Timing
  /** When given, every request must carry it. */
  readonly nodeKey?: string
  /** The engine whose shapes its answers take. */
  readonly dialect?: DialectName
  readonly seed?: number
  readonly clock?: Clock
  /** Told of errors that are neither an answer nor the other side's doing. */
  readonly onBug?: (error: unknown) => void
}

/** Starts an operator node. Everything it remembers belongs to this one node. */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { host = '127.0.0.1', port = 0 } = options
  const service = serviceOf(options)
  const listener = await nodeListener(host, port, (request, response) => {
    response.on('finish', () => {
      // A closed listener takes no more requests, not even on the connections that it has.
      if (!listener.isOpen) request.socket.destroySoon()
    })
    void serveNode(service, request, response)
  })
  let hole: BlackHolePort | undefined
  let change = Promise.resolve()

  const enter = async (state: NodeState): Promise<void> => {
    if (state === service.state) return
    service.state = state
    if (state === 'refuse' || state === 'blackhole') listener.shut()
    await hole?.close()
    hole = state === 'blackhole' ? await onOwnPort(() => blackHolePort(host, listener.port)) : undefined
    if (state === 'up' || state === '503') await listener.open()
  }
  /** One after another: two changes at once would fight for the port. */
  const setState = (state: NodeState): Promise<void> => {
    const changed = change.then(() => enter(readState(state)))
    change = changed.catch(() => undefined)
    return changed
  }

  const node: RunningNode = {
    url: urlOf(listener),
    script: service.scripts.put,
    removeScript: service.scripts.remove,
    scripts: service.scripts.list,
    records: service.records.list,
    clearRecords: service.records.clear,
    state: () => service.state,
    setState,
    setTiming(next) {
      service.timing = readTiming(next)
    },
    async close() {
      service.isClosing = true
      await change
      listener.destroy()
      await hole?.close()
    },
  }
  return options.control === undefined
    ? node
    : startControl(node, options.control).catch((error: unknown) => fail(node, error))
}

function serviceOf(options: NodeOptions): NodeService {
  const {
    models,
    forwarded = false,
    learned,
    timing = 'instant',
    nodeKey,
    dialect,
    seed = 1,
    clock = systemClock,
  } = options
  return {
    models: forwarded ? forwardedModels(models, learned) : exactModels(models),
    nodeKey,
    dialect,
    seed,
    clock,
    epochMs: clock.unixMs() - clock.nowMs(),
    scripts: scriptStore(),
    records: nodeRecords(),
    onBug: options.onBug ?? reportBug,
    state: 'up',
    timing: readTiming(timing),
    active: 0,
    isClosing: false,
  }
}

/** A node whose control port is taken must not stay running without one. */
async function fail(node: RunningNode, error: unknown): Promise<never> {
  await node.close()
  throw error
}

function reportBug(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
}
