import { tokensIn } from '../target/limits/budget.ts'
import type { Request } from '../target/request.ts'
import type { Exchange } from '../wire/transcript.ts'
import type { CheckContext } from './context.ts'
import { plainExchange } from './kept/raw-exchange.ts'
import type { Shared } from './shared.ts'

/** Even when its time is up, a run may listen this long on a raw socket. */
const leastSilenceMs = 5000

/** Bytes on a socket of their own, and heads of requests for it. */
export function createRawTalk(
  { target, converse }: Shared,
  keep: (exchange: Exchange) => void,
): Pick<CheckContext, 'converse' | 'rawHead'> {
  return {
    async converse(steps, enough) {
      // To a target that serves one at a time it is a request like any other.
      const leave = target.pacer.isOneAtATime ? await target.pacer.enter(target.remainingMs) : () => {}
      const silenceMsMax = Math.min(target.patience.silenceMsMax, Math.max(leastSilenceMs, target.remainingMs()))
      const { baseUrl: url, insecure } = target.config
      const request: Request = {
        method: 'POST',
        path: '',
        body: steps.filter((step) => typeof step === 'string').join(''),
      }
      try {
        target.budget.begin(request)
        const sentAt = Date.now()
        const conversation = await converse({ url, steps, enough, silenceMsMax, insecure })
        target.budget.end(request, tokensIn(Buffer.concat(conversation.arrivals.map(({ bytes }) => bytes)).toString()))
        // Without it a failure would show the last request that was sent otherwise, and its answer.
        const exchange = plainExchange(url, steps, conversation, sentAt)
        if (exchange !== undefined) keep(exchange)
        return conversation
      } finally {
        leave()
      }
    },
    rawHead(method, path, headers) {
      const url = new URL(target.urlOf(path))
      const lines = [
        `${method} ${url.pathname} HTTP/1.1`,
        `Host: ${url.host}`,
        ...target.headersOf({ method: 'GET', path, headers }).map(([name, value]) => `${name}: ${value}`),
      ]
      return `${lines.join('\r\n')}\r\n\r\n`
    },
  }
}
