import type { Clock } from '../clock.ts'
import { type Course, CourseReader } from './course.ts'
import type { FinishReason, Fragment, Fragments, Job, OperatorNode } from './node.ts'
import { type PaceName, paceOf } from './pace.ts'
import { stopMatcher } from './stop.ts'
import { replyText } from './text.ts'
import { TOKEN_LENGTH_MAX, tokenize } from './tokens.ts'

export interface SimulatedNodeOptions {
  readonly id: string
  readonly serves: readonly string[]
  readonly seed: number
  readonly pace: PaceName
  /** Its reply to everything; without it the reply is made from the messages. */
  readonly says?: string
}

/** It has no bytes to read. */
export interface SimulatedNode extends OperatorNode {
  generate(job: Job, signal: AbortSignal): Fragments
}

/** A node in this process. Its reply is settled before its first token, so tests can predict it. */
export function simulateNode(clock: Clock, { id, serves, seed, pace, says }: SimulatedNodeOptions): SimulatedNode {
  return {
    id,
    serves: new Set(serves),
    generate: (job, signal) => new CourseReader(courseOf(job, signal)),
  }

  function* courseOf({ model, messages, tokensMax, stop }: Job, signal: AbortSignal): Course<Fragment, FinishReason> {
    const waitFor = paceOf(pace, model, clock)
    // One more token than are sent tells whether the limit cuts the reply.
    const tokensMade = tokensMax + 1
    const tokens = tokenize(says ?? replyText(messages, seed, tokensMade * TOKEN_LENGTH_MAX), tokensMade)
    const matcher = stopMatcher(stop)
    /** Tokens generated but not yet yielded: text that may begin a stop sequence is held back, and its tokens with it. */
    let owed = 0
    const count = Math.min(tokens.length, tokensMax)
    for (let position = 0; position < count; position += 1) {
      const wait = waitFor(position, signal)
      if (wait !== undefined) yield wait
      if (signal.aborted) return 'stop'
      owed += 1
      const { text, stopped } = matcher.push(tokens[position] ?? '')
      if (text !== '' || stopped) {
        yield { text, tokens: owed }
        owed = 0
      }
      if (stopped) return 'stop'
    }
    const { text, stopped } = matcher.end()
    if (owed > 0 || text !== '') yield { text, tokens: owed }
    return tokens.length > tokensMax && !stopped ? 'length' : 'stop'
  }
}
