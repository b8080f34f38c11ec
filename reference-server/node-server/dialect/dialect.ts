export type Json = Readonly<Record<string, unknown>>

/** A reply's content, settled before any of it is sent. */
export interface Content {
  readonly fragments: readonly string[]
  readonly finishReason: string | null
  readonly usage: Json | null
  readonly model: string
  readonly id: string
  readonly createdS: number
}

/** A failure, before a dialect gives it a shape. */
export interface Problem {
  readonly status: number
  readonly message: string
  readonly type: string
  readonly code: string | null
  readonly param?: string | undefined
}

/** The chunks of one stream, without the counts of usage, which are laid over the chunk that has them. */
interface ChunkForms {
  /** Comes before the text; without it the first fragment's delta names the role. */
  readonly role?: Json
  text(fragment: string, isFirst: boolean): Json
  /** `fragment` is the last one, where the dialect puts it beside the finish reason. */
  finish(finishReason: string | null, fragment?: string): Json
  /** A chunk of its own for usage. */
  readonly usage: Json
}

/** The shapes in which one engine says what all engines say. */
export interface Dialect {
  newId(): string
  /** A whole reply. */
  reply(content: Content): Json
  /** `hasUsage` says whether a chunk with the usage follows the others. */
  chunks(content: Content, hasUsage: boolean): ChunkForms
  /** Whether the last fragment of a reply that ended so shares a chunk with the finish reason. */
  readonly joinsFinish?: (finishReason: string | null) => boolean
  usage(promptTokens: number, completionTokens: number): Json
  /** The body of an answer that is not a success. */
  error(problem: Problem): Json
  /** The same in a stream that has begun; as `error` when absent. */
  readonly streamedError?: (problem: Problem) => Json
  /** Whether `[DONE]` follows an error in a stream. */
  readonly isDoneAfterError: boolean
  /** The list of models. */
  models(ids: readonly string[], createdS: number): Json
  /** What it answers to GET at paths that other engines do not have. */
  readonly facts?: (ids: readonly string[]) => Readonly<Record<string, Json>>
  /** With the media type. */
  headers(kind: 'json' | 'stream'): Readonly<Record<string, string>>
  /** A comment that is sent while the next chunk is not due. */
  readonly keepAlive?: { readonly text: string; readonly everyMs: number }
}
