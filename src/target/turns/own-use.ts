import type { Answer } from '../answer.ts'
import { tokensOf } from '../limits/budget.ts'
import type { Request, Used } from '../request.ts'
import type { Target } from '../target.ts'

/** The target as one check uses it, and what the check has used of it. */
export interface OwnUse {
  readonly target: Target
  readonly used: Used
  /** Where it was refused whatever it asked, how many requests the target had served by the first refusal. */
  refusedSince(): number | undefined
}

export function countingUse(target: Target): OwnUse {
  const used = { requests: 0, tokens: 0 }
  let isServed = false
  let servedByThen: number | undefined
  const count = ({ requests, tokens }: Used): void => {
    used.requests += requests
    used.tokens += tokens
  }
  const counted = <A extends Answer>(request: Request, answer: A): A => {
    count({ requests: 1, tokens: tokensOf(request, answer) })
    if ((answer.status ?? 0) >= 400) servedByThen ??= target.served()
    else isServed = true
    return answer
  }
  const own: Target = {
    ...target,
    send: async (request) => counted(request, await target.send(request)),
    stream: async (request, reading) => counted(request, await target.stream(request, reading)),
    budget: {
      ...target.budget,
      end(request, tokens) {
        target.budget.end(request, tokens)
        count({ requests: 1, tokens })
      },
      count(more) {
        target.budget.count(more)
        count(more)
      },
    },
  }
  return { target: own, used, refusedSince: () => (isServed ? undefined : servedByThen) }
}
