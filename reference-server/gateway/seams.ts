import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LimitState, Reservation } from '../keys/limits.ts'
import type { PicoUsd } from '../ledger/money.ts'
import type { FinishReason, Fragments, Job, NodeRequest, OperatorNode, RawReply, ReplySteps } from '../network/node.ts'
import type { Account, Entry, Hold, KeyRecord, KeyTerms, KeyUsage } from '../store/store.ts'
import type { GatewayError } from './gateway-error.ts'
import type { Model } from './models.ts'
import type { ChatRequest } from './request/chat-request.ts'

/** Who calls. */
export interface Caller {
  readonly key: KeyRecord
}

/** One HTTP request on its way through the gateway. Its fields are filled in as the request proceeds. */
export interface Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Running number of the request on this gateway, from 1. */
  readonly number: number
  /** Aborts when the client leaves before its answer is complete. */
  readonly left: AbortSignal
  /** Ids of the nodes that this request was sent to. */
  readonly tried: Set<string>
  caller?: Caller
  /** The limits of the caller's key as last seen, for the headers of the answer. */
  limits?: readonly LimitState[]
  body?: ChatRequest
  model?: Model
  /** Whether the node that was asked last has taken the request. */
  isTaken?: boolean
  /** The name under which the books know the request; clients see it in `x-request-id`. */
  requestId?: string
}

/** A key at its creation, with its value. */
export interface MadeKey {
  readonly record: KeyRecord
  readonly key: string
}

/** What a completion (C2.3) is made of. */
export interface CompletionParts extends Identity {
  readonly text: string
  readonly finishReason: FinishReason
  readonly promptTokens: number
  readonly completionTokens: number
}

/** What every part of one reply repeats. */
export interface Identity {
  readonly id: string
  /** Unix seconds. */
  readonly created: number
  readonly model: string
}

/** What one chunk (C2.4) is made of. The first carries the role, the last only the finish reason. */
export interface ChunkParts extends Identity {
  /** Position in the reply, from 0. */
  readonly position: number
  readonly role?: 'assistant'
  /** The first chunk's is empty. */
  readonly text?: string
  readonly finishReason?: FinishReason
}

/** Token counts of a reply, sent in a chunk of their own when `stream_options.include_usage` asks for it. */
export interface UsageChunkParts extends Identity {
  readonly promptTokens: number
  readonly completionTokens: number
}

/** What a request used, however it ended. */
export interface Usage {
  readonly promptTokens: number
  readonly completionTokens: number
}

/** Status line and headers of an answer, before its body. */
export interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** The event of one fragment at its position in the reply. */
export type TextEvents = (text: string, position: number) => string

/** Where the bytes of a stream go. Where `write` returns a promise, it resolves when the socket takes more (back-pressure). */
export interface StreamSink {
  write(text: string | Uint8Array): Promise<void> | undefined
  end(): Promise<void>
}

/**
 * What a fault or a legal variant may wrap. The honest gateway is made of these functions, calls each of them
 * through this table and contains no `if` for a fault. Every seam of a request gets the call, so a fault can be narrow.
 */
export interface Seams {
  /** One whole HTTP request, the outermost seam. Resolves when the answer has been written. */
  serve(call: Call): Promise<void>
  /** The record of the presented key, if it is live. */
  findKey(presented: string, call: Call): KeyRecord | undefined
  /** Who calls, judged only from the head. Throws `GatewayError` 401. */
  authenticate(call: Call): Caller
  /** Throws `GatewayError` 429 where the key's limit of requests is known to be reached: nothing of the body is read for it. */
  requireTurn(caller: Caller, call: Call): void
  /** The raw request body, bounded. Throws `GatewayError` 413. */
  readBody(call: Call): Promise<Buffer>
  /** The body as a JSON value. Throws `GatewayError` 400. */
  parseBody(bytes: Buffer, call: Call): unknown
  /** The value as a chat request (C2.1, C8). Throws `GatewayError` 400. */
  validate(value: unknown, call: Call): ChatRequest
  /** A model that the gateway knows, served or not. */
  findModel(id: string, call: Call): Model | undefined
  /** Throws `GatewayError` 400 when the prompt does not fit in the model's window. */
  requireRoom(promptTokens: number, model: Model, call: Call): void
  /** Takes a request and the most tokens it may use from the key's limits, or nothing and throws `GatewayError` 429. */
  reserve(caller: Caller, tokensMost: number, call: Call): Reservation | Promise<Reservation>
  /** The request is over: counts what it used instead of what was reserved. */
  commit(reservation: Reservation, usage: Usage, call: Call): void
  /** The request was refused: it takes nothing from the limits. */
  giveBack(reservation: Reservation, call: Call): void
  /** What this usage of a model costs. */
  priceOf(usage: Usage, model: Model, call: Call): PicoUsd
  /** Sets aside the highest possible cost. Throws `GatewayError` 402. */
  hold(most: PicoUsd, caller: Caller, call: Call): Promise<Hold>
  /** Ends the hold with a charge, which is durable when this resolves. */
  charge(hold: Hold, cost: PicoUsd, usage: Usage, call: Call): Promise<void>
  /** Ends the hold without a charge. */
  release(hold: Hold, call: Call): Promise<void>
  /** The models that live nodes serve now (C2.5, C4.2), as the body of the answer. */
  listModels(models: readonly Model[], call: Call): unknown
  /** A live node for the model that this request has not tried yet, if there is one. */
  chooseNode(model: Model, call: Call): OperatorNode | undefined
  /** What the node is asked to do. */
  job(request: ChatRequest, model: Model, promptTokens: number, call: Call): Job
  /** The node's reply. */
  generate(node: OperatorNode, job: Job, signal: AbortSignal, call: Call): Fragments
  /** What is sent to a node over HTTP; `generate` passes each request through here. */
  writeRequest(request: NodeRequest, call: Call): NodeRequest
  /** Reads what a node sent over HTTP; `generate` passes each such reply through here. Throws `NodeFailure`. */
  readReply(reply: RawReply, call: Call): ReplySteps
  countPromptTokens(request: ChatRequest, call: Call): number
  /** Completion tokens of the reply as shown and charged; `counted` is the honest count. */
  countCompletionTokens(counted: number, call: Call): number
  /** A fresh completion identifier. */
  newId(call: Call): string
  /** Now, in Unix seconds. */
  now(call: Call): number
  completion(parts: CompletionParts, call: Call): unknown
  chunk(parts: ChunkParts, call: Call): unknown
  usageChunk(parts: UsageChunkParts, call: Call): unknown
  /** A value as JSON text: bodies, chunks and errors alike. */
  encode(value: unknown, call: Call): string
  /** One event around the JSON text of a chunk, with its line ends. */
  frame(data: string, call: Call): string
  /** The events of a reply's text: `chunk`, `encode` and `frame` in one step, which repeats nothing that all of them share. */
  textEvents(identity: Identity, call: Call): TextEvents
  /** The last event of a stream, with its line ends. */
  doneFrame(call: Call): string
  replyHead(call: Call): Head
  streamHead(call: Call): Head
  listHead(call: Call): Head
  /** Head and body value of an error answer. */
  errorAnswer(error: GatewayError, call: Call): Head & { readonly body: unknown }
  /** Writes a whole answer whose body is known. */
  sendBody(head: Head, body: string, call: Call): Promise<void>
  /** Opens a stream: writes the head, returns where its frames go. */
  openStream(head: Head, call: Call): StreamSink
  /** Opens an account with this credit, or with the free credit when none is named. */
  openAccount(name: string, credit: PicoUsd | undefined): Promise<Account>
  /** Makes a key for an account; undefined when there is no such account. Only here is the value known. */
  createKey(accountId: string, terms: KeyTerms): Promise<MadeKey | undefined>
  /** Gives a key another name and other limits, on every replica. False when there is no such key. */
  changeKey(keyId: string, terms: KeyTerms): Promise<boolean>
  /** Makes a key of the same name and limits; the old one works until it is deleted. Undefined when there is no such key. */
  rotateKey(keyId: string): Promise<MadeKey | undefined>
  /** Resolves when no replica accepts the key any more. */
  deleteKey(keyId: string): Promise<boolean>
  keyUsage(keyId: string): Promise<KeyUsage | undefined>
  /** Begins anew, as in a deploy: resolves when requests are served again. */
  restart(): Promise<void>
  /** Entries of an account numbered above `after`, in order. */
  entries(accountId: string, after: number, limit: number): Promise<readonly Entry[]>
}

/** Wrappers around seams. Each is called once per gateway, so what it closes over lives as long as the gateway. */
export type Wrap = { readonly [K in keyof Seams]?: (real: Seams[K]) => Seams[K] }

/** The honest seams with every wrapper around them, the first wrapper innermost. */
export function wrapSeams(honest: Seams, wraps: readonly Wrap[]): Seams {
  const seams: Seams = { ...honest }
  for (const wrap of wraps) {
    for (const name of Object.keys(wrap) as (keyof Seams)[]) wrapOne(seams, wrap, name)
  }
  // What does several steps at once, or knows the outcome of one beforehand, gives way to the steps where one of them is wrapped.
  const isWrapped = (name: keyof Seams): boolean => seams[name] !== honest[name]
  if (isWrapped('chunk') || isWrapped('encode') || isWrapped('frame')) seams.textEvents = eventsByStep(seams)
  if (isWrapped('reserve')) seams.requireTurn = () => {}
  return seams
}

function eventsByStep(seams: Seams): Seams['textEvents'] {
  return (identity, call) => (text, position) =>
    seams.frame(seams.encode(seams.chunk({ ...identity, position, text }, call), call), call)
}

function wrapOne<K extends keyof Seams>(seams: Seams, wrap: Wrap, name: K): void {
  const wrapper = wrap[name] as ((real: Seams[K]) => Seams[K]) | undefined
  if (wrapper !== undefined) seams[name] = wrapper(seams[name])
}
