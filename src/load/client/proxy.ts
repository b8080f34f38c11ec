import { connect } from 'node:net'
import { Duplex } from 'node:stream'

/** A proxy that opens tunnels with `CONNECT` (RFC 9110, 9.3.6). */
export interface TunnelProxy {
  readonly host: string
  readonly port: number
  /** The user and password in the proxy's address, ready for `Proxy-Authorization`. */
  readonly authorization?: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The proxy that the environment names for an address, by scheme; none for this machine and for what `NO_PROXY` lists. */
export function proxyFor({ protocol, hostname, port }: URL, env: Environment): TunnelProxy | undefined {
  const variable = protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const given = env[variable] || env[variable.toUpperCase()] || ''
  if (given === '' || isLoopback(hostname) || isExcepted(hostname, port, env['no_proxy'] || env['NO_PROXY'] || ''))
    return undefined
  const url = new URL(given)
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 80),
    ...(credentials !== ':' && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}

/** `example.org` and `.example.org` cover the host and all below it, `*` covers everything; a port narrows an entry. */
function isExcepted(hostname: string, port: string, list: string): boolean {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, name = '', ownPort = ''] = /^\*?\.?([^:]*)(?::(\d+))?$/.exec(entry) ?? []
      if (entry === '*') return true
      return (ownPort === '' || ownPort === port) && (hostname === name || hostname.endsWith(`.${name}`))
    })
}

const headBytesMax = 16 * 1024

/** A connection through a proxy. It can be written to at once; what is written waits for the tunnel. */
export function openTunnel({ host, port, authorization }: TunnelProxy, target: string): Duplex {
  const socket = connect({ host, port, noDelay: true })
  let isOpen = false
  let head = Buffer.alloc(0)
  const tunnel = new Duplex({
    write(bytes: Buffer, _encoding, done) {
      if (isOpen) socket.write(bytes, done)
      else tunnel.once('connect', () => socket.write(bytes, done))
    },
    read: () => socket.resume(),
    final: (done) => socket.end(done),
    destroy(error, done) {
      socket.destroy()
      done(error)
    },
  })
  socket.once('connect', () => {
    const lines = [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`]
    if (authorization !== undefined) lines.push(`Proxy-Authorization: ${authorization}`)
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  })
  socket.on('data', (bytes) => {
    if (isOpen) {
      if (!tunnel.push(bytes)) socket.pause()
      return
    }
    head = Buffer.concat([head, bytes])
    const end = head.indexOf('\r\n\r\n')
    if (end === -1 && head.length < headBytesMax) return
    const status = /^HTTP\/1\.\d (\d{3})/.exec(head.toString('latin1'))?.[1]
    if (end === -1 || !status?.startsWith('2')) {
      tunnel.destroy(new Error(`the proxy refused the tunnel (${status ?? 'no status'})`))
      return
    }
    isOpen = true
    tunnel.emit('connect')
    if (head.length > end + 4) tunnel.push(head.subarray(end + 4))
  })
  socket.on('end', () => (isOpen ? tunnel.push(null) : tunnel.destroy(new Error('the proxy closed the connection'))))
  socket.on('error', (error) => tunnel.destroy(error))
  return tunnel
}
