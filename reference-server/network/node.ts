/** One message of the conversation (C2.2). */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** What a node sent over HTTP, before it is read. */
export interface RawReply {
  readonly status: number
  readonly contentType: string
  readonly body: AsyncIterable<Uint8Array>
}

/** What a node is asked to generate. `stop` is a list here whatever form the client used. */
export interface Job {
  readonly model: string
  readonly messages: readonly Message[]
  /** Most completion tokens to generate, at least 1. */
  readonly tokensMax: number
  readonly stop: readonly string[]
  readonly temperature: number
  readonly topP: number
  /** Reads the reply of an HTTP node in another way than it came: a gateway that misreads its nodes does. */
  readonly tap?: (reply: RawReply) => RawReply
}

/** Why a node ended its reply: it was done or met a stop sequence, or it reached `tokensMax`. */
export type FinishReason = 'stop' | 'length'

/** One fragment of a reply and how many completion tokens it carries. */
export interface Fragment {
  readonly text: string
  readonly tokens: number
}

/** A machine of the network that generates text. The gateway sees nothing of it but this. */
export interface OperatorNode {
  readonly id: string
  /** Ids of the models that it serves. */
  readonly serves: ReadonlySet<string>
  /** Yields fragments in order and returns the finish reason. Ends early, without a return value of use, when `signal` aborts. */
  generate(job: Job, signal: AbortSignal): AsyncGenerator<Fragment, FinishReason>
  /** Requests in flight by the node's weight; a node without it is never busy. */
  load?(): number
  /** Rejects when the node does not answer. */
  probe?(): Promise<void>
  close?(): Promise<void>
}
