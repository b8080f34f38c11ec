/**
 * Milliseconds on the machine's monotonic clock. Threads and processes of one machine share it, so a moment means the
 * same in all of them.
 */
const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now()

export function monotonicMs(): number {
  return performance.now() + offsetMs
}
