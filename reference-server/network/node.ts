/** One message of the conversation (C2.2). */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** What a node is asked to generate. `stop` is a list here, whatever form the client used. */
export interface Job {
  readonly model: string
  readonly messages: readonly Message[]
  /** Most completion tokens to generate, at least 1. */
  readonly tokensMax: number
  readonly stop: readonly string[]
  readonly temperature: number
  readonly topP: number
  /** More fields for a server that is asked over HTTP, as the client sent them. */
  readonly extras?: Readonly<Record<string, unknown>>
}

/** Why a node ended its reply: it was done or met a stop sequence, or it reached `tokensMax`. */
export type FinishReason = 'stop' | 'length'

/** One fragment of a reply and how many completion tokens it carries. */
export interface Fragment {
  readonly text: string
  readonly tokens: number
}

/** What comes step by step, and may be able to tell that the next one is here. */
export interface ReadyIterator<T, R = unknown> extends AsyncIterator<T, R> {
  /** The next step if nothing has to be waited for, which then costs no promise. Undefined says nothing: ask `next`. */
  takeReady?(): IteratorResult<T, R> | undefined
}

export interface ReadyGenerator<T, R> extends AsyncGenerator<T, R> {
  takeReady?(): IteratorResult<T, R> | undefined
}

/** A reply while it is generated. */
export type Fragments = ReadyGenerator<Fragment, FinishReason>

/** What is sent to a node over HTTP. */
export interface NodeRequest {
  readonly headers: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body: object
}

/** What a node sent over HTTP, before it is read. */
export interface RawReply {
  readonly status: number
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: { [Symbol.asyncIterator](): ReadyIterator<Uint8Array> }
}

/** The media type that a node names, with its parameters. */
export function contentTypeOf({ headers }: Pick<RawReply, 'headers'>): string {
  return String(headers['content-type'] ?? '')
}

/** A piece of text, or how the reply finished, which comes last. */
export type ReplyStep = string | { readonly finishReason: FinishReason }

/** A reply while it is read. Leaving it early closes the connection to the node. */
export type ReplySteps = ReadyGenerator<ReplyStep, void>

/** How a node that answers over HTTP is written to and read. */
export interface NodeTalk {
  write(request: NodeRequest): NodeRequest
  read(reply: RawReply): ReplySteps
}

/** A machine of the network that generates text. The gateway sees nothing of it but this. */
export interface OperatorNode {
  readonly id: string
  /** Ids of the models that it serves. */
  readonly serves: ReadonlySet<string>
  /**
   * Yields fragments in order and returns the finish reason. What goes over HTTP passes through `talk`.
   * Ends early, without a useful return value, when `signal` aborts.
   */
  generate(job: Job, signal: AbortSignal, talk: NodeTalk): Fragments
  /** Requests in flight, divided by the node's weight. A node without this is never busy. */
  load?(): number
  /** Rejects when the node does not answer. */
  probe?(): Promise<void>
  close?(): Promise<void>
}
