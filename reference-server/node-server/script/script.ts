import { firstViolation, validator } from '../../validator.ts'
import type { DialectName } from '../dialect/dialects.ts'
import { InputError } from './input-error.ts'
import { checkPercentiles } from './read-timing.ts'
import { type faultKinds, scriptSchema, type usagePlaces } from './script-schema.ts'
import type { Timing } from './timing-profiles.ts'

type Fields = Readonly<Record<string, unknown>>

export type FaultKind = (typeof faultKinds)[number]

/** What the bytes of a reply look like, beyond what they mean. */
export interface Wire {
  /**
   * Where the body is cut into separate writes: after every byte, inside every character of several bytes (after each of
   * them but the last), every this many bytes, or at these offsets.
   */
  readonly cuts?: 'bytes' | 'characters' | number | readonly number[]
  /** The least pause before each of these writes, so that the other side meets them one by one. */
  readonly pauseMs?: number
  /** Whether a reply that is not streamed announces its length; without it, its end comes as the last of its HTTP chunks. */
  readonly length?: boolean
  /** Whether the reply is compressed with gzip for whoever says that it reads that. */
  readonly gzip?: boolean
  /** Whether JSON escapes every letter that is not ASCII, as Python writes it. */
  readonly ascii?: boolean
  readonly lineEnd?: '\n' | '\r\n' | '\r'
  /** Comment lines: after every `every` chunks (1), and every `everyMs` until the next chunk is due. */
  readonly comments?: boolean | { readonly text?: string; readonly every?: number; readonly everyMs?: number }
  readonly spaceAfterColon?: boolean
  /** Whether `[DONE]` ends the stream. */
  readonly done?: boolean
}

export interface ScriptFault {
  readonly kind: FaultKind
  /** How many chunks with text go out first (1). */
  readonly afterChunks?: number
  /** The error object of `error-frame` and `in-band-error`. */
  readonly error?: Fields
  /** The lines of the event that they send in a stream, in place of the usual one with the error object. */
  readonly event?: readonly string[]
}

/** How a node answers requests whose last user message contains `assay-script-ID`. Nothing in it is required. */
export interface Script {
  /** The reply's text, one chunk each. */
  readonly fragments?: readonly string[]
  /** How often the fragments, or the words of the text, are said: long replies in a short script. */
  readonly repeat?: number
  /** The reply's text, cut into words. Without either it is made from the prompt. */
  readonly text?: string
  /** With `body`, or from 300 upwards, the reply is raw; if not, this is the status of a usual reply. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** A raw body: a string as it is, anything else as JSON. */
  readonly body?: unknown
  readonly finishReason?: string | null
  readonly usage?: Fields | null
  /** Where a stream shows usage; by default in its own chunk when the request asks for it. `never` holds in JSON mode too. */
  readonly usageWhere?: (typeof usagePlaces)[number]
  readonly model?: string
  readonly id?: string
  /** Fields added to the JSON reply, each chunk, each choice, and each delta or message. */
  readonly extra?: {
    readonly reply?: Fields
    readonly chunk?: Fields
    readonly choice?: Fields
    readonly delta?: Fields
  }
  /** The engine whose shapes the reply takes; by default the node's. What the script says itself takes precedence. */
  readonly dialect?: DialectName
  readonly timing?: Timing
  readonly wire?: Wire
  readonly fault?: ScriptFault
  /** How many requests it answers before it is spent. */
  readonly times?: number
  /** Answers from then on; without it the node's default does. */
  readonly next?: Script
}

const script = validator<Script>(scriptSchema)

/** Throws `InputError` that names the field. */
export function readScript(value: unknown): Script {
  const validate = script()
  if (!validate(value)) throw new InputError('The script', firstViolation(validate.errors))
  checkDeep(value, '')
  return value
}

/** What the schema cannot say, down the whole chain. */
function checkDeep({ timing, times, next, fragments, text }: Script, prefix: string): void {
  if (typeof timing === 'object') checkPercentiles(timing, `${prefix}timing.`)
  if (fragments !== undefined && text !== undefined)
    throw new InputError('The script', { where: `${prefix}text`, problem: 'cannot stand beside fragments' })
  if (next === undefined) return
  if (times === undefined)
    throw new InputError('The script', { where: `${prefix}times`, problem: 'is required beside next' })
  checkDeep(next, `${prefix}next.`)
}
