import { Worker } from 'node:worker_threads'
import type { Done, Order } from './worker.ts'

const SEEDS_PER_ORDER = 2000

/** Simulates honest worlds on some threads and tells of each part that is done. */
export async function simulateMany(
  { from, count, threads }: Order & { readonly threads: number },
  onDone: (done: Done) => void,
): Promise<void> {
  let next = from
  const serve = (worker: Worker): Promise<void> =>
    new Promise((resolve, reject) => {
      const order = (): void => {
        if (next >= from + count) {
          void worker.terminate().then(() => resolve())
          return
        }
        worker.postMessage({ from: next, count: Math.min(SEEDS_PER_ORDER, from + count - next) } satisfies Order)
        next += SEEDS_PER_ORDER
      }
      worker.on('error', reject)
      worker.on('message', (done: Done) => {
        onDone(done)
        order()
      })
      order()
    })
  const workers = Array.from(
    { length: threads },
    () => new Worker(new URL('worker.ts', import.meta.url), { resourceLimits: { maxYoungGenerationSizeMb: 64 } }),
  )
  await Promise.all(workers.map(serve))
}
