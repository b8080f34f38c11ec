import { createConnection, createServer, type Socket } from 'node:net'

/** Somewhere to send connections, and whether it wants any. */
export interface Backend {
  readonly url: string
  isReady(): Promise<boolean>
}

/** A balancer of the plainest kind: it knows nothing of HTTP and passes bytes between connections. */
export interface TcpSwitch {
  readonly url: string
  add(backend: Backend): void
  remove(backend: Backend): void
  close(): Promise<void>
}

const askEveryMs = 100

/** Sends each new connection to the next backend that said it was ready when it was last asked. */
export async function startTcpSwitch(): Promise<TcpSwitch> {
  const ready = new Map<Backend, boolean>()
  const sockets = new Set<Socket>()
  let turn = 0
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    keep(client)
    const able = [...ready].filter(([, isReady]) => isReady).map(([backend]) => backend)
    const backend = able[turn++ % able.length]
    if (backend === undefined) return void client.destroy()
    const { hostname, port } = new URL(backend.url)
    const upstream = createConnection({ host: hostname, port: Number(port), allowHalfOpen: true })
    keep(upstream)
    client.pipe(upstream).pipe(client)
    upstream.on('error', () => client.resetAndDestroy())
    client.on('error', () => upstream.resetAndDestroy())
  })
  const asking = setInterval(async () => {
    for (const backend of ready.keys()) {
      const isReady = await backend.isReady().catch(() => false)
      if (ready.has(backend)) ready.set(backend, isReady)
    }
  }, askEveryMs)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the switch has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    add: (backend) => void ready.set(backend, true),
    remove: (backend) => void ready.delete(backend),
    async close() {
      clearInterval(asking)
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}
