import type { Dialect } from '../dialect/dialect.ts'
import type { FaultKind, ScriptFault, Wire } from '../script/script.ts'
import { errorOf } from '../script/script-error.ts'
import type { HeadlessKind } from './body-plan.ts'
import { eventText } from './event-bytes.ts'
import type { Ending } from './reply-plan.ts'

/** An event and when it is due. Only whole chunks count as chunks. */
export interface Frame {
  readonly atMs: number
  /** Made when it is due: a thousand replies that start together must not wait for one another's last event. */
  readonly text: () => string | Uint8Array
  readonly chunks: number
  readonly hasText: boolean
}

/** What is sent of a stream, how it ends, and whether `[DONE]` is sent before its end. */
export interface Course {
  readonly frames: readonly Frame[]
  readonly ending: Ending
  readonly done: boolean
}

interface Scene {
  readonly all: readonly Frame[]
  /** The frames before the fault; below, the one that it hits, and the rest. */
  readonly sent: readonly Frame[]
  readonly hit: Frame
  readonly rest: readonly Frame[]
  readonly error: Frame
  readonly isDoneAfterError: boolean
  readonly lineEnd: string
}

type MidStream = Exclude<FaultKind, HeadlessKind>

const courses: Readonly<Record<MidStream, (scene: Scene) => Course>> = {
  'hang-mid-stream': ({ sent }) => ({ frames: sent, ending: 'hang', done: false }),
  'reset-mid-stream': ({ sent }) => ({ frames: sent, ending: 'reset', done: false }),
  'close-inside-character': ({ sent, hit }) => ({
    frames: [...sent, insideCharacter(hit)],
    ending: 'close',
    done: false,
  }),
  'end-mid-stream': ({ sent }) => ({ frames: sent, ending: 'end', done: false }),
  'end-without-done': ({ all }) => ({ frames: all, ending: 'end', done: false }),
  'error-frame': ({ sent, error, isDoneAfterError }) => ({
    frames: [...sent, error],
    ending: 'end',
    done: isDoneAfterError,
  }),
  'in-band-error': ({ error }) => ({ frames: [error], ending: 'end', done: true }),
  'broken-json': ({ sent, hit, rest, lineEnd }) => {
    const broken = half(hit, lineEnd + lineEnd)
    return { frames: [...sent, broken, ...rest], ending: 'end', done: true }
  },
  'truncated-json': ({ sent, hit }) => ({ frames: [...sent, half(hit, '')], ending: 'close', done: false }),
  'endless-line': ({ sent, hit }) => {
    const start = 'data: {"choices":[{"index":0,"delta":{"content":"'
    return { frames: [...sent, { ...hit, text: () => start, chunks: 0 }], ending: 'fill', done: false }
  },
}

/** The course that a stream of these frames takes under a fault; there is at least one frame. */
export function courseOf(
  kind: MidStream,
  fault: ScriptFault,
  all: readonly Frame[],
  wire: Wire,
  { error: whole, streamedError = whole, isDoneAfterError }: Dialect,
): Course {
  const place = placeAfter(fault.afterChunks ?? 1, all)
  const hit = all[place] ?? all.at(-1) ?? { atMs: 0, text: () => '', chunks: 0, hasText: false }
  const { lineEnd = '\n' } = wire
  const text = (): string =>
    fault.event === undefined
      ? eventText(JSON.stringify(errorOf(fault, streamedError)), wire)
      : [...fault.event, ''].map((line) => line + lineEnd).join('')
  const error = { ...hit, text, chunks: 0 }
  const sent = all.slice(0, place)
  return courses[kind]({ all, sent, hit, rest: all.slice(place + 1), error, isDoneAfterError, lineEnd })
}

/** Where the frames go on after so many with text; a role chunk before the first goes out with it. */
function placeAfter(texts: number, all: readonly Frame[]): number {
  if (texts === 0) return 0
  const last = all.flatMap(({ hasText }, at) => (hasText ? [at] : []))[texts - 1]
  return last === undefined ? all.length : last + 1
}

function half(frame: Frame, end: string): Frame {
  const halfText = (): string => {
    const whole = Buffer.from(frame.text()).toString()
    return whole.slice(0, whole.length / 2) + end
  }
  return { ...frame, text: halfText, chunks: 0 }
}

/** A frame up to the first byte of its first character of several bytes, or half of it if there is none. */
function insideCharacter(frame: Frame): Frame {
  const bytes = (): Uint8Array => {
    const whole = Buffer.from(frame.text())
    const first = whole.findIndex((byte) => byte >= 0xc0)
    return whole.subarray(0, first < 0 ? whole.length / 2 : first + 1)
  }
  return { ...frame, text: bytes, chunks: 0 }
}
