/** What a client is told to do with its library: one line of JSON on its standard input. */
export interface Order {
  readonly do: 'list' | 'create' | 'stream' | 'abort'
  readonly baseUrl: string
  readonly apiKey: string
  readonly model: string
  readonly prompt: string
}

/** What the user of the library got: one line of JSON on the client's standard output. */
export interface Got {
  readonly models?: readonly string[]
  readonly text?: string
  /** In how many pieces a stream came. */
  readonly pieces?: number
  /** The name of what was thrown, and its message. */
  readonly error?: string
  /** The HTTP status that the error shows to a program. */
  readonly status?: number | null
  /** What the library cannot be told to do. */
  readonly cannot?: string
}

/** What a request looked like at the gateway, in the order of their ends. */
export interface Seen {
  readonly status: number
  /** When it began, since the order was given. */
  readonly atMs: number
  /** Whether the client left before the end of the reply. */
  readonly left: boolean
}
