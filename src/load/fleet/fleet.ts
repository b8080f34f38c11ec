import { HarnessError } from '../../harness-error.ts'
import type { LoadPlan } from '../schedule/plan.ts'

/** What one machine of a fleet is to do. It crosses Redis: it holds no key and no header of the user's. */
export interface FleetOrder {
  readonly plan: Omit<LoadPlan, 'headers'>
  readonly share: { readonly first: number; readonly all: number }
  /** When all begin, on the clock of Redis, in milliseconds. */
  readonly startAtMs: number
}

export const fleetQueue = 'assay-load'

/** The key under which a worker says that it is there; it vanishes when the worker does. */
export function presenceKey(worker: string): string {
  return `${fleetQueue}:present:${worker}`
}

export const presenceMs = 4000

/** Where Redis is, in the form that its client takes. */
export function readRedisUrl(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['redis:', 'rediss:'].includes(url.protocol))
    throw new HarnessError('usage', `${option} must be an address like redis://host:6379.`)
  return text
}

/** Passwords in addresses count as secrets. */
export function passwordOf(address: string): string | undefined {
  const password = URL.canParse(address) ? decodeURIComponent(new URL(address).password) : ''
  return password === '' ? undefined : password
}
