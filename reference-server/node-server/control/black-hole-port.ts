import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

export interface BlackHolePort {
  /** Frees the port. Connections that wait there are reset. */
  close(): Promise<void>
}

/** If the kernel completes a connection on this machine at all, it does so well within this time. */
const CONNECT_MS = 200
/** Far more than a backlog of one takes. */
const FILLERS_MAX = 64

/**
 * A port where connections neither succeed nor fail. It needs no privilege: a worker listens and never accepts, and
 * our own connections fill its backlog, after which the kernel leaves all others unanswered.
 */
export async function blackHolePort(host: string, port: number): Promise<BlackHolePort> {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL(`./black-hole-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: { host, port, gate },
  })
  const fillers: Socket[] = []
  const close = async (): Promise<void> => {
    for (const filler of fillers) filler.destroy()
    await worker.terminate()
  }
  try {
    const [message] = await once(worker, 'message')
    if (message.problem !== undefined) throw new Error(message.problem)
    while (await isCompleted(host, port, fillers)) {
      if (fillers.length === FILLERS_MAX) throw new Error('the backlog does not fill up on this machine')
    }
  } catch (error) {
    await close()
    throw error
  }
  return { close }
}

/** Opens one more connection, which is kept, and tells whether it was completed. */
function isCompleted(host: string, port: number, fillers: Socket[]): Promise<boolean> {
  return new Promise((resolve) => {
    const filler = connect({ host: reachable(host), port })
    fillers.push(filler)
    filler.on('error', () => resolve(false))
    filler.once('connect', () => resolve(true))
    setTimeout(() => resolve(false), CONNECT_MS)
  })
}

/** An address that stands for all addresses of the machine is not one to connect to. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}
