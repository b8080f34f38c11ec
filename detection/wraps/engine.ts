import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, Seams, Wrap } from '../../reference-server/gateway/seams.ts'
import type { FinishReason, Fragment } from '../../reference-server/network/node.ts'
import { createSemaphore } from '../../src/semaphore.ts'
import { isStream } from './stream.ts'
import { forOtherModels } from './words.ts'

type Generate = Seams['generate']
type Reply = AsyncGenerator<Fragment, FinishReason>

/** An inference engine with one machine to run on: it writes one reply at a time, and all others wait. */
interface Engine {
  /** From the turn of a request to its first token. */
  readonly firstTokenMs?: number
  readonly tokenMs: number
  /** Whether a reply goes on when its client has left. */
  readonly worksOn?: boolean
  /** If given, a stream breaks off when another request comes, and this is told which. */
  readonly onDrop?: (call: Call) => void
  /** Says another text than the node. */
  readonly say?: Generate
}

/** Lets the models share one machine. */
export function oneAtATime(engine: Engine): Wrap {
  const { worksOn = false, onDrop, say } = engine
  const enter = createSemaphore(1)
  let waiting = 0
  async function* turn(): AsyncGenerator<Fragment, () => void> {
    waiting += 1
    const place = enter()
    let leave: (() => void) | undefined
    try {
      for (;;) {
        leave = await Promise.race([place, sleep(stillWaitingMs, undefined, { ref: false })])
        if (leave !== undefined) return leave
        yield { text: '', tokens: 0 }
      }
    } finally {
      waiting -= 1
      // Who left has no use for the place.
      if (leave === undefined) void place.then((give) => give())
    }
  }
  const generate = (real: Generate): Generate =>
    async function* (node, job, signal, call) {
      const leave = yield* turn()
      const lasting = worksOn ? new AbortController().signal : signal
      const reply = paced((say ?? real)(node, job, lasting, call), engine)
      let isOver = false
      try {
        for (let step = await reply.next(); ; step = await reply.next()) {
          isOver = step.done === true
          if (step.done) return step.value
          yield step.value
          if (onDrop !== undefined && isStream(call) && waiting > 0) {
            onDrop(call)
            return 'stop'
          }
        }
      } finally {
        if (isOver || !worksOn) leave()
        else void drain(reply).finally(leave)
      }
    }
  return forOtherModels({ generate })
}

/** How often one that waits for its turn says that it is still there. */
const stillWaitingMs = 1000

/** A timer is late by a millisecond or so: shorter waits are made together. */
const shortestWaitMs = 5

/** On absolute deadlines, so that late timers do not add up. */
async function* paced(reply: Reply, { firstTokenMs, tokenMs }: Engine): Reply {
  let dueMs = performance.now() + (firstTokenMs ?? tokenMs)
  for (;;) {
    const step = await reply.next()
    if (step.done) return step.value
    const waitMs = dueMs - performance.now()
    if (waitMs >= shortestWaitMs) await sleep(waitMs)
    dueMs += tokenMs * step.value.tokens
    yield step.value
  }
}

/** Writes the rest of a reply that nobody reads. */
async function drain(reply: Reply): Promise<void> {
  while (!(await reply.next()).done);
}
