import { createHash, hash, randomBytes } from 'node:crypto'

const ID_BYTES = 6
const SECRET_BYTES = 24

/** A key at its creation, the only time its value is known (C2.6). */
export interface NewKey {
  /** The public part of the key: safe to print and to log. */
  readonly id: string
  readonly key: string
}

export function newKey(service: string): NewKey {
  return keyFrom(service, randomBytes(ID_BYTES + SECRET_BYTES))
}

/** The same key for the same service, seed and name, so that demo keys outlive a restart. */
export function deriveKey(service: string, seed: number, name: string): NewKey {
  return keyFrom(service, createHash('sha256').update(`demo key ${service} ${seed} ${name}`).digest())
}

/** What the gateway keeps in place of a key. 192 random bits need no slow hash. */
export function hashKey(key: string): string {
  return hash('sha256', key)
}

function keyFrom(service: string, bytes: Buffer): NewKey {
  const id = bytes.toString('hex', 0, ID_BYTES)
  return { id, key: `sk-${service}-${id}-${bytes.toString('hex', ID_BYTES, ID_BYTES + SECRET_BYTES)}` }
}
