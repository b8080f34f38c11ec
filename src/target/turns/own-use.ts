import type { Answer } from '../answer.ts'
import type { Request } from '../request.ts'
import type { Target } from '../target.ts'

/**
 * The target as one check uses it: its requests say how long the earlier ones took, and those that it has asked and that are
 * not over count as plain ones.
 */
export function countingUse(target: Target, plainMs: number): Target {
  let usedMs = 0
  const counted = async <A extends Answer>(request: Request, ask: (request: Request) => Promise<A>): Promise<A> => {
    const asked = { ...request, usedMs }
    usedMs += plainMs
    const answer = await ask(asked)
    usedMs += answer.exchange.endedAtMs - plainMs
    return answer
  }
  return {
    ...target,
    send: (request) => counted(request, target.send),
    stream: (request, reading) => counted(request, (own) => target.stream(own, reading)),
  }
}
