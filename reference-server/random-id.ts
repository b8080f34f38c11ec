import { randomFillSync } from 'node:crypto'

const ID_BYTES = 12
const POOL_IDS = 512

const pool = Buffer.alloc(ID_BYTES * POOL_IDS)
let used = pool.length

/** A prefix, then 96 random bits in hex. One call of the system's generator serves 512 ids. */
export function randomId(prefix: string): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += ID_BYTES
  return prefix + pool.toString('hex', used - ID_BYTES, used)
}
