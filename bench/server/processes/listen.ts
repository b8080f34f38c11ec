import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Listens on any port and prints its number, which tells the bench that the process is ready. */
export function listen(server: Server): Promise<void> {
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
      resolve()
    }),
  )
}
