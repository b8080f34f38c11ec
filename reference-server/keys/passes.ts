import { randomBytes } from 'node:crypto'
import type { Wrap } from '../gateway/seams.ts'
import type { KeyRecord } from '../store/store.ts'

/** Far longer than it takes to send one request on this machine. */
const LIFE_MS = 10_000

/** Passes in place of a key, each for one request of this process to itself. They are in no store and leave with the process. */
export interface KeyPasses {
  /** A bearer token that stands for this key once. */
  issue(key: KeyRecord): string
  /** Lets the gateway know passes by the side of keys. */
  readonly wrap: Wrap
}

export function keyPasses(): KeyPasses {
  const passes = new Map<string, KeyRecord>()
  return {
    issue(key) {
      const pass = randomBytes(32).toString('hex')
      passes.set(pass, key)
      setTimeout(() => passes.delete(pass), LIFE_MS).unref()
      return pass
    },
    wrap: {
      findKey: (real) => (presented, call) => {
        const key = passes.size === 0 ? undefined : passes.get(presented)
        if (key === undefined) return real(presented, call)
        passes.delete(presented)
        return key
      },
    },
  }
}
