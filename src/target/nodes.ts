import { listAt, numberAt, parseJson, textAt } from '../json.ts'
import { eventually } from '../repeat/eventually.ts'
import type { Exchange } from '../wire/transcript.ts'
import type { Wire } from '../wire/wire.ts'
import { readAnswer } from './answer.ts'
import type { NodesConfig } from './config.ts'
import { Unsettled } from './unsettled.ts'

/** What one of our nodes does with a request (`fixtures/nodes/openapi.yaml` has every field). */
export interface NodeScript {
  readonly fragments?: readonly string[]
  readonly repeat?: number
  readonly text?: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly finishReason?: string | null
  readonly usage?: object | null
  readonly usageWhere?: 'own-chunk' | 'last-chunk' | 'every-chunk' | 'never'
  readonly model?: string
  readonly id?: string
  readonly extra?: object
  readonly dialect?: string
  readonly timing?: {
    readonly firstToken: number
    readonly gap: number
    readonly spikes?: { readonly every: number; readonly ms: number }
  }
  readonly wire?: object
  readonly fault?: {
    readonly kind: string
    readonly afterChunks?: number
    readonly error?: object
    readonly event?: readonly string[]
  }
  readonly times?: number
  readonly next?: NodeScript
}

/** What a node saw of one request. */
export interface NodeRecord {
  /** Which of the nodes, from 0. */
  readonly node: number
  readonly headers: Readonly<Record<string, unknown>>
  /** The script that its prompt named. */
  readonly scriptId: string | undefined
  /** The request body as a JSON value. */
  readonly json: unknown
  readonly body: string
  /** Milliseconds since 1970. */
  readonly arrivedAtMs: number
  /** When the gateway closed before the reply was whole. */
  readonly closedByPeerAtMs: number | undefined
  readonly bytesWritten: number
  readonly chunksWritten: number
  readonly outcome: string
  /** Absent while no head has been written. */
  readonly status: number | undefined
}

type NodeState = 'up' | 'refuse' | '503' | 'blackhole'

/** The operator nodes behind the gateway under test. They are ours, so we know what they do and what they saw. */
export interface Nodes {
  readonly model: string
  readonly count: number
  /** Whether they require the key with which the gateway is asked. */
  readonly takeTheCallersKey: boolean
  /**
   * Puts a script on every node, or a different one on each; requests whose prompt holds `assay-script-ID` follow it.
   * It stays until the run ends, and the nodes with it.
   */
  script(id: string, script: NodeScript | readonly NodeScript[]): Promise<void>
  /** What the nodes saw of these requests, in the order of arrival. */
  records(id: string): Promise<readonly NodeRecord[]>
  /** What they saw of every request that held the id of a script, in the order of arrival. */
  scripted(): Promise<readonly NodeRecord[]>
  /** The records once `enough` says so, or as they are when the time is up. */
  recordsWhen(
    id: string,
    withinMs: number,
    enough: (records: readonly NodeRecord[]) => boolean,
  ): Promise<readonly NodeRecord[]>
  /** Of one node, or of all. */
  setState(state: NodeState, node?: number): Promise<void>
  /** Whether that has ever been another state than `up`. */
  readonly wereTakenDown: boolean
  /** Brings the nodes up. Says what could not be undone. */
  undo(): Promise<readonly string[]>
}

const silenceMsMax = 15_000
const pollMs = 20

export function createNodes(
  { model, controlUrls, takeTheCallersKey = false }: NodesConfig,
  wire: Wire,
  keep: (exchange: Exchange) => void,
  onTakenDown: () => void,
): Nodes {
  let isUp = true
  let wereTakenDown = false

  async function call(node: number, method: 'GET' | 'PUT', path: string, body?: object): Promise<unknown> {
    const exchange = await wire.send(
      {
        method,
        url: `${controlUrls[node]}/control/v1${path}`,
        headers: body === undefined ? [] : [['Content-Type', 'application/json']],
        ...(body !== undefined && { body: JSON.stringify(body) }),
      },
      { silenceMsMax, durationMsMax: silenceMsMax },
    )
    keep(exchange)
    const { status, text } = readAnswer(exchange)
    if (status !== undefined && status >= 200 && status < 300) return parseJson(text)
    const what = `our node ${node} answered ${method} ${path} with ${status ?? exchange.ending}`
    throw new Unsettled('target', `${what}: ${text}`)
  }
  const every = async (work: (node: number) => Promise<unknown>): Promise<readonly unknown[]> =>
    Promise.all(controlUrls.map((_, node) => work(node)))
  const recordsAt = async (path: string): Promise<readonly NodeRecord[]> => {
    const lists = await every((node) => call(node, 'GET', path))
    return lists
      .flatMap((list, node) => listAt(list, 'records').map((record) => readRecord(record, node)))
      .sort((a, b) => a.arrivedAtMs - b.arrivedAtMs)
  }
  const records = (id: string): Promise<readonly NodeRecord[]> => recordsAt(`/records?script=${id}`)

  return {
    model,
    count: controlUrls.length,
    takeTheCallersKey,
    async script(id, script) {
      await every((node) => {
        const own = Array.isArray(script) ? script[node % script.length] : script
        return call(node, 'PUT', `/scripts/${id}`, own)
      })
    },
    records,
    scripted: async () => (await recordsAt('/records')).filter(({ scriptId }) => scriptId !== undefined),
    recordsWhen: (id, withinMs, enough) => eventually({ withinMs, everyMs: pollMs }, () => records(id), enough),
    async setState(state, only) {
      isUp = state === 'up'
      wereTakenDown ||= !isUp
      if (!isUp) onTakenDown()
      const set = (node: number): Promise<unknown> => call(node, 'PUT', '/state', { state })
      await (only === undefined ? every(set) : set(only))
    },
    get wereTakenDown() {
      return wereTakenDown
    },
    async undo() {
      if (isUp) return []
      isUp = true
      return every((node) => call(node, 'PUT', '/state', { state: 'up' })).then(
        () => [],
        () => ['nodes that are not up'],
      )
    },
  }
}

function readRecord(record: unknown, node: number): NodeRecord {
  const body = textAt(record, 'body') ?? ''
  const headers = Object(record).headers
  return {
    node,
    headers: typeof headers === 'object' && headers !== null ? headers : {},
    scriptId: textAt(record, 'scriptId'),
    json: parseJson(body),
    body,
    arrivedAtMs: numberAt(record, 'arrivedAtMs') ?? 0,
    closedByPeerAtMs: numberAt(record, 'closedByPeerAtMs'),
    bytesWritten: numberAt(record, 'bytesWritten') ?? 0,
    chunksWritten: numberAt(record, 'chunksWritten') ?? 0,
    outcome: textAt(record, 'outcome') ?? '',
    status: numberAt(record, 'status'),
  }
}
