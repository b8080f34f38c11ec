import type { Dialect } from '../dialect/dialect.ts'
import type { FaultKind, Script } from '../script/script.ts'
import { errorOf } from '../script/script-error.ts'
import { cutParts, type Part } from './parts.ts'
import type { Ending, Head, ReplyPlan } from './reply-plan.ts'

interface Body {
  readonly status: number
  readonly headers: Head['headers']
  readonly bytes: Buffer
  /** When the body is due, from the request's arrival. */
  readonly atMs: number
}

/** What a fault does to a body that is sent at once: which length is promised, and how it ends. */
const cuts: Readonly<Partial<Record<FaultKind, { readonly promised: 'whole' | 'sent'; readonly ending: Ending }>>> = {
  'hang-mid-stream': { promised: 'whole', ending: 'hang' },
  'close-inside-character': { promised: 'whole', ending: 'close' },
  'reset-mid-stream': { promised: 'whole', ending: 'reset' },
  'truncated-json': { promised: 'whole', ending: 'close' },
  'end-mid-stream': { promised: 'sent', ending: 'end' },
  'broken-json': { promised: 'sent', ending: 'end' },
}

/** How a reply ends of which nothing comes, not even its head. */
const headlessEndings = {
  'hang-before-head': 'hang',
  'reset-before-head': 'reset',
  'close-before-head': 'close',
} as const satisfies Partial<Record<FaultKind, Ending>>
export type HeadlessKind = keyof typeof headlessEndings

const endlessStart = Buffer.from('{"object":"chat.completion","choices":[{"index":0,"message":{"content":"')

/** The plan of a reply that is not a stream of events: JSON, or any raw body. */
export function bodyPlan(body: Body, script: Script, dialect: Dialect): ReplyPlan {
  const { fault } = script
  if (fault !== undefined && isHeadless(fault.kind)) return headless(fault.kind, body.atMs)
  if (fault?.kind === 'endless-line') return plan(body, script, endlessStart, undefined, 'fill')
  if (fault?.kind === 'error-frame' || fault?.kind === 'in-band-error') {
    const bytes = Buffer.from(JSON.stringify(errorOf(fault, dialect.error)))
    return plan({ ...body, headers: dialect.headers('json') }, script, bytes, bytes.length, 'end')
  }
  const cut = fault === undefined ? undefined : cuts[fault.kind]
  if (cut === undefined) return plan(body, script, body.bytes, body.bytes.length, 'end')
  const half = body.bytes.subarray(0, Math.ceil(body.bytes.length / 2))
  return plan(body, script, half, cut.promised === 'whole' ? body.bytes.length : half.length, cut.ending)
}

export function isHeadless(kind: FaultKind): kind is HeadlessKind {
  return Object.hasOwn(headlessEndings, kind)
}

export function headless(kind: HeadlessKind, endAtMs: number): ReplyPlan {
  return { parts: [], ending: headlessEndings[kind], endAtMs, apart: false }
}

function plan(
  { status, headers, atMs }: Body,
  { headers: scripted, wire }: Script,
  bytes: Buffer,
  promisedLength: number | undefined,
  ending: Ending,
): ReplyPlan {
  const length =
    promisedLength === undefined || wire?.length === false ? {} : { 'content-length': String(promisedLength) }
  const head: Head = { status, headers: { ...headers, ...length, ...lowerCased(scripted) } }
  const whole: Part[] = [{ atMs, bytes, chunks: ending === 'end' ? 1 : 0 }]
  const parts = wire?.cuts === undefined ? whole : cutParts(whole, wire.cuts, wire.pauseMs)
  return { head, parts, ending, endAtMs: atMs, apart: wire?.cuts !== undefined }
}

/** One spelling for each name, so that a script's header replaces the usual one. */
export function lowerCased(headers: Head['headers'] = {}): Head['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
