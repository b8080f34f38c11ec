/**
 * Milliseconds on the machine's monotonic clock. Threads and processes of one machine share it, so that a moment of one
 * means the same to the others.
 */
const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now()

export function monotonicMs(): number {
  return performance.now() + offsetMs
}
