import { setTimeout as sleep } from 'node:timers/promises'

const withinMs = 3000
const everyMs = 20

/**
 * Listens on a port that was the node's a moment ago. Its last listener may not be gone yet, and for a moment somebody else's
 * connection may have it: then it is tried again for a while.
 */
export async function onOwnPort<T>(listen: () => Promise<T>): Promise<T> {
  const endMs = performance.now() + withinMs
  for (;;) {
    try {
      return await listen()
    } catch (error) {
      if (!String(error).includes('EADDRINUSE') || performance.now() >= endMs) throw error
      await sleep(everyMs)
    }
  }
}
