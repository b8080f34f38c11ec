import { connect } from 'node:net'

/** The proxy of a request, and the variable that names it. */
interface Proxy {
  readonly variable: string
  /** Without the credentials that it may hold. */
  readonly address: string
}

type Environment = Readonly<Record<string, string | undefined>>

const forHttp = ['http_proxy', 'HTTP_PROXY'] as const
const forHttps = ['https_proxy', 'HTTPS_PROXY'] as const

export function proxyIsConfigured(env: Environment): boolean {
  return [...forHttp, ...forHttps].some((name) => (env[name] ?? '') !== '')
}

/** Whoever listens on this machine is asked directly, whatever the variables say. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}

/** The proxy through which undici sends a request to this address, by the same variables; undefined for none. */
export function proxyOf(url: URL, env: Environment): Proxy | undefined {
  if (isLoopback(url) || isExempt(url, env['no_proxy'] ?? env['NO_PROXY'] ?? '')) return undefined
  const names = url.protocol === 'https:' ? [...forHttps, ...forHttp] : forHttp
  const variable = names.find((name) => (env[name] ?? '') !== '')
  const value = variable === undefined ? '' : (env[variable] ?? '')
  if (variable === undefined || !URL.canParse(value)) return undefined
  const { protocol, host } = new URL(value)
  return { variable, address: `${protocol}//${host}` }
}

/** Whether NO_PROXY names the host: `*`, a name, which stands for those below it too, or only those, as `*.name`. */
function isExempt({ hostname, protocol, port }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return list.split(/[,\s]+/).some((entry) => {
    const [, name = entry, onlyPort] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? []
    if (onlyPort !== undefined && onlyPort !== (port || (protocol === 'https:' ? '443' : '80'))) return false
    if (name === '*') return true
    const bare = name
      .replace(/^\[|\]$/g, '')
      .replace(/^\*?\./, '')
      .toLowerCase()
    return bare !== '' && ((!name.startsWith('*') && host === bare) || host.endsWith(`.${bare}`))
  })
}

/** Whether anybody accepts a connection at the address of a proxy. */
export function isListening({ address }: Proxy, waitMs: number): Promise<boolean> {
  const { hostname, port, protocol } = new URL(address)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const usualPort = protocol === 'https:' ? 443 : 80
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || usualPort, timeout: waitMs })
  socket.on('connect', () => resolve(true))
  socket.on('timeout', () => resolve(false))
  socket.on('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}
