import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** Told what happens on one connection. Bytes are valid until the call returns. */
export interface ConnectionEvents {
  connected(): void
  bytes(bytes: Buffer, length: number): void
  /** The other side closed. */
  ended(): void
  failed(error: Error): void
}

const readBytes = 64 * 1024

/**
 * Opens the connections of one shard. All of them read into one buffer, one after the other, so that a thousand streams
 * allocate nothing for their bytes. Certificates are verified unless they are to be accepted whatever they are.
 */
export function connector(url: URL, insecure: boolean): (events: ConnectionEvents) => Socket {
  const isTls = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port || (isTls ? 443 : 80))
  const shared = Buffer.alloc(readBytes)
  return (events) => {
    const socket = isTls
      ? connectTls({ host, port, rejectUnauthorized: !insecure, ...(isIP(host) === 0 && { servername: host }) })
      : connect({
          host,
          port,
          noDelay: true,
          onread: {
            buffer: shared,
            callback: (length) => {
              events.bytes(shared, length)
              return true
            },
          },
        })
    if (isTls) {
      socket.setNoDelay(true)
      socket.on('data', (bytes: Buffer) => events.bytes(bytes, bytes.length))
    }
    socket.once(isTls ? 'secureConnect' : 'connect', () => events.connected())
    socket.on('end', () => events.ended())
    socket.on('error', (error: Error) => events.failed(error))
    return socket
  }
}
