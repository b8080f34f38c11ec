import { Mismatch } from '../check/expect.ts'
import { Unsettled } from '../target/unsettled.ts'

/**
 * A check is judged by what it waits for. What it left when it threw, or when its time was over, may fail for nobody, and must not end
 * the thread that it ran in.
 */
export function ignoreLeftRequests(): void {
  process.on('unhandledRejection', (reason) => {
    if (!(reason instanceof Unsettled || reason instanceof Mismatch)) throw reason
  })
}
