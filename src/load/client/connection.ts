import { connect, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { openTunnel, proxyFor, type TunnelProxy } from './proxy.ts'

/** Called with what happens on one connection. Bytes are valid until the call returns. */
export interface ConnectionEvents {
  connected(): void
  bytes(bytes: Buffer, length: number): void
  /** The other side closed. */
  ended(): void
  failed(error: Error): void
}

const readBytes = 64 * 1024

/** The connections of one shard, through the proxy that the environment names for the address. */
export function connectorFor(address: string, insecure: boolean): (events: ConnectionEvents) => Duplex {
  const url = new URL(address)
  return connector(url, insecure, proxyFor(url, process.env))
}

/**
 * Opens connections. They all read into one buffer, one after the other, so that a thousand streams allocate nothing
 * for their bytes. Certificates are verified unless `insecure`.
 */
export function connector(url: URL, insecure: boolean, proxy?: TunnelProxy): (events: ConnectionEvents) => Duplex {
  const isTls = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port || (isTls ? 443 : 80))
  const security = { rejectUnauthorized: !insecure, ...(isIP(host) === 0 && { servername: host }) }
  const shared = Buffer.alloc(readBytes)

  function open(events: ConnectionEvents): Duplex {
    if (proxy === undefined && !isTls) {
      const callback = (length: number): boolean => {
        events.bytes(shared, length)
        return true
      }
      return connect({ host, port, noDelay: true, onread: { buffer: shared, callback } })
    }
    const tunnel = proxy && openTunnel(proxy, `${url.hostname}:${port}`)
    const stream =
      isTls || tunnel === undefined
        ? connectTls({ ...(tunnel === undefined ? { host, port } : { socket: tunnel }), ...security }).setNoDelay(true)
        : tunnel
    return stream.on('data', (bytes: Buffer) => events.bytes(bytes, bytes.length))
  }

  return (events) => {
    const stream = open(events)
    stream.once(isTls ? 'secureConnect' : 'connect', () => events.connected())
    stream.on('end', () => events.ended())
    stream.on('error', (error: Error) => events.failed(error))
    return stream
  }
}

/** Closes a connection whose last words no longer matter. */
export function discard(connection: Duplex): void {
  connection.removeAllListeners()
  connection.on('error', () => undefined)
  connection.destroy()
}
