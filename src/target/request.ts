import type { HeaderList } from '../wire/transcript.ts'

/** How many milliseconds of the target the requests of one check are likely to take. */
export interface Forecast {
  /** All of them: where one goes at a time, the least go first. */
  readonly allMs: number
  /** Those that are not answered: where that is more than the run has left, none of them goes. */
  readonly leftMs: number
}

/** A request to the gateway under test. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'HEAD' | 'PATCH'
  /** Below the API path; a path that starts with `//` counts from the base URL instead. */
  readonly path: string
  /** The key to present: the main one when absent, none when null. */
  readonly key?: string | null
  readonly headers?: HeaderList
  readonly body?: string | Uint8Array
  /** The model that it asks, where that is not the one in use. */
  readonly model?: string
  /** Goes at once, however many requests are in flight; many of these need the capability `load`. */
  readonly burst?: true
  /** Goes when nothing else is in flight, and nothing else goes until it is over. */
  readonly alone?: true
  /** How long all that is asked together is likely to take. */
  readonly forecast?: Forecast
  /** Goes even while the target is silent: it finds out whether the target still answers. */
  readonly despiteSilence?: true
  /** A different silence after which the exchange is given up, in milliseconds. */
  readonly patienceMs?: number
  /** Most tokens of its reply: a slow model is given the time that it needs for them. */
  readonly replyTokens?: number
  /** Most bytes of its reply that are read, where its tokens do not tell. */
  readonly replyBytesMax?: number
  /** Nothing but the window bounds its reply: a target may go on with it for long after we left. */
  readonly isUnbounded?: true
  /** Every target that is not too busy serves it: a 503 means as much as a 429. */
  readonly isPlain?: true
}

export interface StreamReading {
  /** Leave the stream after this many chunks with a fragment. */
  readonly leaveAfterContent?: number
  /** Called once, when the first fragment has come. */
  readonly onFirstContent?: () => void
}

/** Requests, and the prompt and completion tokens of all of them. */
export interface Used {
  readonly requests: number
  readonly tokens: number
}

/** What a run, or one check of it, has used so far. */
export interface Spending {
  requests: number
  /** As the replies' `usage` says, or as their texts look. */
  tokens: number
  /** Exchanges that the other side cut or was silent on. */
  cuts: number
  /** Answers of 429 to the main key. */
  limited: number
  /** Answers of 503 to the main key. */
  unavailable: number
}
