import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)
/** A minimum for scrypt from OWASP's password storage cheat sheet: 32 MiB, three times. */
const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }
const BYTES = 32

/** What is kept of a password: the salt and a memory-hard hash, in hex. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password.normalize('NFC'), salt, BYTES, cost)
  return `${salt.toString('hex')}:${hash.toString('hex')}`
}

/** Takes as long for somebody who does not exist, so that the time reveals nothing. */
export async function isPassword(password: string, kept: string | undefined): Promise<boolean> {
  const [salt = '', hash = ''] = (kept ?? `${'0'.repeat(32)}:${'0'.repeat(2 * BYTES)}`).split(':')
  const derived = await derive(password.normalize('NFC'), Buffer.from(salt, 'hex'), BYTES, cost)
  return timingSafeEqual(derived, Buffer.from(hash, 'hex')) && kept !== undefined
}
