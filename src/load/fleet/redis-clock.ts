import type { Redis } from 'ioredis'
import { monotonicMs } from '../engine/monotonic.ts'

const pings = 9

/**
 * What to add to Redis's time to get a moment of this machine's monotonic clock, in milliseconds. The quickest of nine
 * exchanges is the most exact: its answer was made near its middle (Cristian 1989).
 */
export async function clockOffsetMs(redis: Redis): Promise<number> {
  const found: { readonly tookMs: number; readonly offsetMs: number }[] = []
  for (let ping = 0; ping < pings; ping += 1) {
    const askedAtMs = monotonicMs()
    const [seconds, micros] = await redis.time()
    const tookMs = monotonicMs() - askedAtMs
    found.push({ tookMs, offsetMs: askedAtMs + tookMs / 2 - (Number(seconds) * 1000 + Number(micros) / 1000) })
  }
  return found.sort((one, other) => one.tookMs - other.tookMs)[0]?.offsetMs ?? 0
}
