import { once } from 'node:events'
import type { Server } from 'node:http'

/** As many connections as the system lets wait: a crowd that comes at once is not kept waiting for a second by a full queue. */
const BACKLOG = 4096

export async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host, BACKLOG)
  await once(server, 'listening')
}

/** The address as a client would write it. */
export function addressOf(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no network address')
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${host}:${address.port}`
}

/** Ends at once: open connections are cut. */
export async function closed(server: Server): Promise<void> {
  if (!server.listening) return
  const end = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await end
}
