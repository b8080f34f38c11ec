import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Seams, Wrap } from '../../../reference-server/gateway/seams.ts'
import { type Course, CourseReader } from '../../../reference-server/network/course.ts'
import type { FinishReason, Fragment, Fragments } from '../../../reference-server/network/node.ts'
import { eachSecond, slowly } from '../requests.ts'

type Paced = Course<Fragment, FinishReason>

/** Nodes at other paces than the reference server has, for the prompts that ask for them. */
export const paced: Wrap = {
  generate: (real) => (node, job, signal, call) => {
    const prompt = job.messages[0]?.content
    if (prompt === eachSecond) return new CourseReader(aSecondEach(job, signal))
    const reply = real(node, job, signal, call)
    return prompt === slowly ? new CourseReader(aTurnEach(reply)) : reply
  },
}

/** A turn of the event loop for each token. */
function* aTurnEach(reply: Fragments): Paced {
  for (;;) {
    yield nextTurn()
    const step = reply.takeReady?.()
    if (step === undefined) throw new Error('an instant node has its tokens ready')
    if (step.done) return step.value
    yield step.value
  }
}

/** Each event says when it was due, in milliseconds of the machine's monotonic clock, which all processes share. */
function* aSecondEach({ tokensMax }: Parameters<Seams['generate']>[1], signal: AbortSignal): Paced {
  const startMs = machineMs()
  for (let position = 0; position < tokensMax; position += 1) {
    const dueMs = startMs + position * 1000
    const waitMs = dueMs - machineMs()
    if (waitMs > 0) yield sleep(waitMs)
    if (signal.aborted) return 'stop'
    yield { text: dueMs.toFixed(3), tokens: 1 }
  }
  return 'length'
}

function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
