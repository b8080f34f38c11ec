import type { Answer } from '../answer.ts'
import { briefTokens } from '../chat.ts'
import type { Prepared } from '../prepare.ts'
import type { Forecast, Request } from '../request.ts'
import type { Target } from '../target.ts'

/**
 * The target as one check uses it, which asks about so many requests in all: each of them says how long all are likely to take.
 * Once one is answered that is known from the answers: refusals take no time. Before that they are as likely as replies at the
 * pace of the first contact, so that the number of requests counts by its root.
 */
export function forecasting(target: Target, requests: number, { modeMs }: Pick<Prepared, 'modeMs'>): Target {
  let asked = 0
  let answered = 0
  let usedMs = 0
  const forecastOf = ({ replyTokens = 0 }: Request, mode: keyof Prepared['modeMs']): Forecast => {
    const left = Math.max(requests, asked + 1) - answered
    const plainMs = modeMs[mode]
    const leftMs =
      answered > 0
        ? (left * usedMs) / answered
        : Math.sqrt(left) * Math.max(plainMs, (replyTokens * plainMs) / briefTokens)
    return { allMs: usedMs + leftMs, leftMs }
  }
  const counted = async <A extends Answer>(
    request: Request,
    mode: keyof Prepared['modeMs'],
    ask: (request: Request) => Promise<A>,
  ): Promise<A> => {
    const own = { ...request, forecast: forecastOf(request, mode) }
    asked += 1
    const answer = await ask(own)
    answered += 1
    usedMs += answer.exchange.endedAtMs
    return answer
  }
  return {
    ...target,
    send: (request) => counted(request, 'json', target.send),
    stream: (request, reading) => counted(request, 'stream', (own) => target.stream(own, reading)),
  }
}
