import type { CheckContext } from './context.ts'
import type { Shared } from './shared.ts'

/** Even when its time is up, a run may listen this long on a raw socket. */
const leastSilenceMs = 5000

/** Bytes on a socket of their own, and heads of requests for it. */
export function createRawTalk({ target, converse }: Shared): Pick<CheckContext, 'converse' | 'rawHead'> {
  return {
    converse: (steps, enough) =>
      converse({
        url: target.config.baseUrl,
        steps,
        enough,
        silenceMsMax: Math.min(target.patience.silenceMsMax, Math.max(leastSilenceMs, target.remainingMs())),
        insecure: target.config.insecure,
      }),
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
