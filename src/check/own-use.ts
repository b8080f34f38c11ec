import type { Answer } from '../target/answer.ts'
import type { Request } from '../target/request.ts'
import type { Target } from '../target/target.ts'

/** The target as one check uses it: its requests say how long the earlier ones took. */
export function countingUse(target: Target): Target {
  let usedMs = 0
  const counted = async <A extends Answer>(request: Request, ask: (request: Request) => Promise<A>): Promise<A> => {
    const answer = await ask({ ...request, usedMs })
    usedMs += answer.exchange.endedAtMs
    return answer
  }
  return {
    ...target,
    send: (request) => counted(request, target.send),
    stream: (request, reading) => counted(request, (own) => target.stream(own, reading)),
  }
}
