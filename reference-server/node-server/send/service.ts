import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../clock.ts'
import type { NodeState } from '../control/state.ts'
import { type DialectName, dialectOf } from '../dialect/dialects.ts'
import { compressed } from '../plan/compress.ts'
import { planReply } from '../plan/reply.ts'
import { breakdown, jsonPlan, type ReplyPlan, silence } from '../plan/reply-plan.ts'
import { noncesIn, type ScriptStore } from '../script/script-store.ts'
import type { Timing } from '../script/timing-profiles.ts'
import { readNodeBody } from './body.ts'
import { keyWanted, NodeError, nodeIsDown, noSuchMethod, noSuchModel, noSuchPath } from './error.ts'
import type { OpenRecord, Records } from './records.ts'
import { readNodeRequest } from './request.ts'
import type { ServedModels } from './served-models.ts'
import { sendReply } from './stream.ts'

/** What requests are answered from. State and timing may change between two requests. */
export interface NodeService {
  readonly models: ServedModels
  readonly nodeKey: string | undefined
  /** Plain where there is none. */
  readonly dialect: DialectName | undefined
  readonly seed: number
  readonly clock: Clock
  /** Turns the clock's time into the calendar's. Read once, so that records keep the clock's fractions. */
  readonly epochMs: number
  readonly scripts: ScriptStore
  readonly records: Records
  readonly onBug: (error: unknown) => void
  state: NodeState
  timing: Timing
  /** Requests under way. */
  active: number
  /** Whether the node itself is closing, and all its connections with it. */
  isClosing: boolean
}

interface Call {
  readonly path: string
  readonly method: string
  readonly authorization: string | undefined
  readonly readsGzip: boolean
  readonly body: Buffer
  readonly record: OpenRecord
}

interface Route {
  readonly method: string
  /** Whether it is answered without the node's key too. */
  readonly isOpen?: true
  readonly plan: (service: NodeService, call: Call) => ReplyPlan | Promise<ReplyPlan>
}

const routes: ReadonlyMap<string, Route> = new Map([
  ['/v1/chat/completions', { method: 'POST', plan: chatPlan }],
  ['/v1/models', { method: 'GET', plan: modelsPlan }],
  // Engines have it, and routers give a node no request before it has answered here.
  ['/health', { method: 'GET', isOpen: true, plan: healthPlan }],
])

/** Serves one request from its arrival to its end, and never throws. */
export async function serveNode(
  service: NodeService,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { clock } = service
  const arrivedAtMs = clock.nowMs()
  const record = service.records.begin({
    method: request.method ?? '',
    path: request.url ?? '',
    headers: headersOf(request),
    arrivedAtMs: arrivedAtMs + service.epochMs,
  })
  service.active += 1
  const gone = new AbortController()
  response.on('error', () => undefined)
  response.on('close', () => {
    service.active -= 1
    if (service.isClosing && record.outcome === 'under-way') record.outcome = 'cut-by-node'
    end(record, response, clock.nowMs() + service.epochMs)
    gone.abort()
  })
  try {
    const plan = await planOf(service, request, record)
    await sendReply(plan, { response, gone: gone.signal, clock, arrivedAtMs, record })
  } catch (error) {
    if (record.outcome === 'under-way') record.outcome = 'cut-by-node'
    response.destroy()
    service.onBug(error)
  }
}

/** If the node itself destroyed the connection, the record already says so. */
function end(record: OpenRecord, response: ServerResponse, atMs: number): void {
  record.endedAtMs = atMs
  if (record.outcome !== 'under-way') return
  if (response.writableFinished) record.outcome = 'complete'
  else {
    record.outcome = 'closed-by-peer'
    record.closedByPeerAtMs = atMs
  }
}

async function planOf(service: NodeService, request: IncomingMessage, record: OpenRecord): Promise<ReplyPlan> {
  try {
    const body = await readNodeBody(request)
    if (body === undefined) return silence
    record.body = body.toString('utf8')
    // A connection that was opened before the node went down finds it down too.
    if (service.state === 'refuse') return breakdown
    if (service.state === 'blackhole') return silence
    if (service.state === '503') throw nodeIsDown()
    const [path = ''] = (request.url ?? '').split('?', 1)
    const { method = '' } = request
    const { authorization, 'accept-encoding': codings = '' } = request.headers
    const readsGzip = /\bgzip\b(?! *; *q=0(?:\.0*)? *(?:,|$))/.test(String(codings))
    return await routePlan(service, { path, method, authorization, readsGzip, body, record })
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    const { headers, error: bodyOf } = dialectOf(service.dialect)
    const more = error.status === 413 ? { connection: 'close' } : {}
    return jsonPlan(error.status, bodyOf(error), { ...headers('json'), ...more })
  }
}

function routePlan(service: NodeService, call: Call): ReplyPlan | Promise<ReplyPlan> {
  const route = routes.get(call.path) ?? factsRoute(service, call.path)
  if (route === undefined) throw noSuchPath()
  if (route.method !== call.method) throw noSuchMethod(route.method)
  if (route.isOpen !== true && service.nodeKey !== undefined && keyIn(call) !== service.nodeKey) throw keyWanted()
  return route.plan(service, call)
}

/** The route of a path that only the engine has whose shapes the node takes. */
function factsRoute({ dialect: name, models }: NodeService, path: string): Route | undefined {
  const dialect = dialectOf(name)
  const facts = dialect.facts?.(models.listed) ?? {}
  if (!Object.hasOwn(facts, path)) return undefined
  return { method: 'GET', plan: () => jsonPlan(200, facts[path], dialect.headers('json')) }
}

/** The scheme's case does not matter to engines. */
function keyIn({ authorization = '' }: Call): string | undefined {
  return /^bearer +(.*)$/i.exec(authorization)?.[1]
}

function modelsPlan({ models, dialect: name, clock }: NodeService): ReplyPlan {
  const dialect = dialectOf(name)
  return jsonPlan(200, dialect.models(models.listed, Math.floor(clock.unixMs() / 1000)), dialect.headers('json'))
}

function healthPlan({ dialect }: NodeService): ReplyPlan {
  return jsonPlan(200, { status: 'ok' }, dialectOf(dialect).headers('json'))
}

async function chatPlan(service: NodeService, { body, readsGzip, record }: Call): Promise<ReplyPlan> {
  // A request that is refused belongs to the script that it names too.
  const named = noncesIn(body.toString()).at(-1)
  if (named !== undefined) record.scriptId = named
  const request = readNodeRequest(body)
  const { id, script } = service.scripts.take(request.messages)
  if (id !== undefined) record.scriptId = id
  record.scripted = script !== undefined
  if (!service.models.serves(request.model, script !== undefined)) throw noSuchModel()
  if (script?.fault !== undefined) record.fault = script.fault.kind
  const { seed, active: concurrent, timing, clock } = service
  const dialect = dialectOf(script?.dialect ?? service.dialect)
  const occasion = { dialect, seed, number: record.number, concurrent, timing, clock }
  const plan = await planReply(request, script ?? {}, occasion)
  return script?.wire?.gzip && readsGzip ? compressed(plan) : plan
}

function headersOf({ headersDistinct }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, values?.join(', ') ?? '']))
}
