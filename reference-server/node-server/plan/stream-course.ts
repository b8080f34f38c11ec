import type { FaultKind, ScriptFault, Wire } from '../script/script.ts'
import { errorOf } from '../script/script-error.ts'
import { eventText } from './event-bytes.ts'
import type { Ending } from './reply-plan.ts'

/** An event and when it is due. Only whole chunks count as chunks. */
export interface Frame {
  readonly atMs: number
  /** Made when it is due: a thousand replies that start together must not wait for one another's last event. */
  readonly text: () => string
  readonly chunks: number
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
  readonly lineEnd: string
}

type MidStream = Exclude<FaultKind, 'hang-before-head' | 'reset-before-head'>

const courses: Readonly<Record<MidStream, (scene: Scene) => Course>> = {
  'hang-mid-stream': ({ sent }) => ({ frames: sent, ending: 'hang', done: false }),
  'reset-mid-stream': ({ sent }) => ({ frames: sent, ending: 'reset', done: false }),
  'end-mid-stream': ({ sent }) => ({ frames: sent, ending: 'end', done: false }),
  'end-without-done': ({ all }) => ({ frames: all, ending: 'end', done: false }),
  'error-frame': ({ sent, error }) => ({ frames: [...sent, error], ending: 'end', done: false }),
  'in-band-error': ({ error }) => ({ frames: [error], ending: 'end', done: true }),
  'broken-json': ({ sent, hit, rest, lineEnd }) => {
    const broken = half(hit, lineEnd + lineEnd)
    return { frames: [...sent, broken, ...rest], ending: 'end', done: true }
  },
  'truncated-json': ({ sent, hit }) => ({ frames: [...sent, half(hit, '')], ending: 'close', done: false }),
  'endless-line': ({ sent, hit }) => {
    const start = 'data: {"choices":[{"index":0,"delta":{"content":"'
    return { frames: [...sent, { atMs: hit.atMs, text: () => start, chunks: 0 }], ending: 'fill', done: false }
  },
}

/** The course that a stream of these frames takes under a fault; there is at least one frame. */
export function courseOf(kind: MidStream, fault: ScriptFault, all: readonly Frame[], wire: Wire): Course {
  const place = Math.min(fault.afterChunks ?? 1, all.length)
  const hit = all[place] ?? all.at(-1) ?? { atMs: 0, text: () => '', chunks: 0 }
  const error = { atMs: hit.atMs, text: () => eventText(JSON.stringify(errorOf(fault)), wire), chunks: 0 }
  const { lineEnd = '\n' } = wire
  return courses[kind]({ all, sent: all.slice(0, place), hit, rest: all.slice(place + 1), error, lineEnd })
}

function half({ atMs, text }: Frame, end: string): Frame {
  return { atMs, text: () => text().slice(0, text().length / 2) + end, chunks: 0 }
}
