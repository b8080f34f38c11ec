import type { Call, Wrap } from '../../reference-server/gateway/seams.ts'
import type { ReplyStep, ReplySteps } from '../../reference-server/network/node.ts'
import { asJson } from '../wraps/json.ts'
import { isRelayedCall } from '../wraps/relay.ts'
import type { Position } from './hows.ts'

/** Changes one value of a relayed request or reply; undefined loses it. */
export type Change = (value: unknown, call: Call, position: Position) => unknown

/** Where a value passes through the gateway: a wrap that puts it through a change. */
export type Carrier = (change: Change) => Wrap

/** Steps into a JSON value; `*` is each member of a list. */
type Path = readonly (string | number)[]

const only: Position = { index: 0, isLast: true }

/** A value of the JSON that a node is sent. */
export function inRequest(...path: Path): Carrier {
  return (change) => ({
    writeRequest: (real) => (request, call) => {
      const honest = real(request, call)
      if (!isRelayedCall(call)) return honest
      return { ...honest, body: asJson(changeAt(honest.body, path, (value, at) => change(value, call, at))) }
    },
  })
}

/** Each fragment that a node sends. An empty one is passed on, as an honest gateway does. */
export const inFragments: Carrier = (change) => ({
  readReply: (real) => (reply, call) => {
    const steps = real(reply, call)
    return isRelayedCall(call) ? changedFragments(steps, (text, at) => change(text, call, at)) : steps
  },
})

/** The reason for which a node says that it ended. */
export const inFinish: Carrier = (change) => ({
  readReply: (real) => (reply, call) => {
    const steps = real(reply, call)
    return isRelayedCall(call) ? changedFinish(steps, (reason) => change(reason, call, only)) : steps
  },
})

/** A field of a reply that is not streamed. */
export function inReply(...path: Path): Carrier {
  return (change) => ({
    completion: (real) => (parts, call) => {
      const honest = real(parts, call)
      return isRelayedCall(call) ? changeAt(honest, path, (value) => change(value, call, only)) : honest
    },
  })
}

/** A field of each chunk of a stream, without the one that shows usage. */
export function inChunks(...path: Path): Carrier {
  return (change) => ({
    chunk: (real) => (parts, call) => {
      const honest = real(parts, call)
      const position = { index: parts.position, isLast: parts.finishReason !== undefined }
      return isRelayedCall(call) ? changeAt(honest, path, (value) => change(value, call, position)) : honest
    },
  })
}

/** A count of the usage, in replies and in streams. */
export function inUsage(...path: Path): Carrier {
  return (change) => ({
    completion: (real) => (parts, call) => {
      const honest = real(parts, call)
      return isRelayedCall(call) ? changeAt(honest, ['usage', ...path], (value) => change(value, call, only)) : honest
    },
    usageChunk: (real) => (parts, call) => {
      const honest = real(parts, call)
      return isRelayedCall(call) ? changeAt(honest, ['usage', ...path], (value) => change(value, call, only)) : honest
    },
  })
}

/** A JSON value with what stands at a path changed. A member that becomes undefined is left out. */
export function changeAt(
  value: unknown,
  path: Path,
  change: (value: unknown, position: Position) => unknown,
  position: Position = only,
): unknown {
  const [step, ...rest] = path
  if (step === undefined) return change(value, position)
  if (Array.isArray(value)) {
    const members = value.map((member, index) => {
      if (step !== '*' && step !== index) return member
      const at = step === '*' ? { index, isLast: index === value.length - 1 } : position
      return changeAt(member, rest, change, at)
    })
    return members.filter((member) => member !== undefined)
  }
  if (typeof value !== 'object' || value === null || typeof step !== 'string') return value
  const changed = changeAt(asJson(value)[step], rest, change, position)
  const { [step]: _, ...others } = asJson(value)
  return changed === undefined ? others : { ...asJson(value), [step]: changed }
}

/** Holds each fragment back until it is known whether it is the last. */
async function* changedFragments(
  steps: ReplySteps,
  change: (text: string, position: Position) => unknown,
): AsyncGenerator<ReplyStep> {
  let held: string | undefined
  let index = 0
  for await (const step of steps) {
    const isText = typeof step === 'string'
    if (held !== undefined) {
      const changed = change(held, { index, isLast: !isText })
      index += 1
      yield* [changed].flat().filter((text) => typeof text === 'string')
    }
    held = isText ? step : undefined
    if (!isText) yield step
  }
}

async function* changedFinish(steps: ReplySteps, change: (reason: string) => unknown): AsyncGenerator<ReplyStep> {
  for await (const step of steps) {
    if (typeof step === 'string') yield step
    else yield { finishReason: change(step.finishReason) === 'length' ? 'length' : 'stop' }
  }
}
