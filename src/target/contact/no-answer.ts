import { connect } from 'node:net'
import { HarnessError } from '../../harness-error.ts'
import { createWire } from '../../wire/client.ts'
import { isListening, proxyOf } from '../../wire/clients/proxy.ts'
import type { Exchange } from '../../wire/transcript.ts'
import type { TargetConfig } from '../config.ts'

const waitMs = 3000

/** Why an address gave no answer at all, and what to pass instead where that can be found out. */
export async function noAnswer(config: TargetConfig, { ending, problem = ending }: Exchange): Promise<HarnessError> {
  const { baseUrl, insecure } = config
  const proxy = proxyOf(new URL(baseUrl), process.env)
  if (proxy !== undefined && !(await isListening(proxy, waitMs)))
    return new HarnessError(
      'target-unreachable',
      `The proxy of ${proxy.variable}, ${proxy.address}, does not answer (${inOneLine(problem)}), so ${baseUrl} was not reached.`,
      { next: `Correct ${proxy.variable}, or add the host of the gateway to NO_PROXY.` },
    )
  const isAboutTls = /SSL|TLS|CERT|SELF_SIGNED|EPROTO/.test(problem)
  if (isAboutTls || ending === 'reset') {
    const error = await wrongScheme(baseUrl)
    if (error !== undefined) return error
  }
  if (isAboutTls && !insecure && (await answersAt(baseUrl)))
    return new HarnessError('certificate', `${baseUrl} has a certificate that is not trusted: ${inOneLine(problem)}.`)
  if (ending === 'reset')
    return new HarnessError('target-closes', `${baseUrl} closes connections without an answer (${inOneLine(problem)}).`)
  if (ending === 'timeout' && (await takesConnections(baseUrl)))
    return new HarnessError('target-silent', `${baseUrl} takes connections and sends nothing (${problem}).`)
  return new HarnessError('target-unreachable', `Nothing answers at ${baseUrl} (${inOneLine(problem)}).`)
}

/** What tells a server that is silent from an address where packets are lost. */
function takesConnections(baseUrl: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(baseUrl)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)), timeout: waitMs })
  socket.on('connect', () => resolve(true))
  socket.on('error', () => resolve(false))
  socket.on('timeout', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

/** The error for an address that answers by the other scheme; undefined if it does not. */
export async function wrongScheme(baseUrl: string): Promise<HarnessError | undefined> {
  const isTls = baseUrl.startsWith('https:')
  const other = isTls ? baseUrl.replace('https:', 'http:') : baseUrl.replace('http:', 'https:')
  if (!(await answersAt(other))) return undefined
  return new HarnessError(
    'wrong-scheme',
    `${new URL(baseUrl).host} speaks ${isTls ? 'plain HTTP' : 'TLS'}: use ${other} instead of ${baseUrl}.`,
  )
}

/** Whether anything comes back, whatever it is. No key is sent. */
async function answersAt(url: string): Promise<boolean> {
  const wire = createWire({ insecure: true })
  try {
    const limits = { silenceMsMax: waitMs, durationMsMax: waitMs, onBytes: () => 'leave' as const }
    const { head } = await wire.send({ method: 'GET', url, headers: [] }, limits)
    return head !== undefined && !(head.status === 400 && url.startsWith('http:'))
  } finally {
    await wire.close()
  }
}

/** OpenSSL's messages name its source files, over several lines; the code says enough. */
function inOneLine(problem: string): string {
  return /^(ERR_SSL_\w+|EPROTO)/.exec(problem)?.[0] ?? problem.replace(/\s+/g, ' ').trim()
}
