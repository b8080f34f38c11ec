import { HarnessError } from '../../harness-error.ts'
import type { LoadPlan } from '../schedule/plan.ts'

/** What one machine of a fleet is to do. It passes through Redis, so it holds no key and no header of the user. */
export interface FleetOrder {
  /** The same for all machines. */
  readonly id: string
  readonly plan: Omit<LoadPlan, 'headers'>
  readonly share: { readonly first: number; readonly all: number }
  /** When all machines begin, on Redis's clock, in milliseconds. */
  readonly startAtMs: number
}

export const fleetQueue = 'assay-load'

/** The key by which a worker shows that it is there; it expires when the worker is gone. */
export function presenceKey(worker: string): string {
  return `${fleetQueue}:present:${worker}`
}

export const presenceMs = 4000

/** The key that stops an order before its time: machines that carry it out look for it. */
export function stopKey(orderId: string): string {
  return `${fleetQueue}:stop:${orderId}`
}

/** Longer than any machine takes to look, and short enough to leave nothing behind. */
export const stopMs = 600_000

export const stopPollMs = 250

/** Checks the address of a Redis server. */
export function readRedisUrl(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['redis:', 'rediss:'].includes(url.protocol))
    throw new HarnessError('usage', `${option} must be an address like redis://host:6379.`)
  return text
}

/** An address as it may be shown: without its password. */
export function shownAddress(address: string): string {
  const { protocol, host } = new URL(address)
  return `${protocol}//${host}`
}

/** The password in an address, which is a secret. */
export function passwordOf(address: string): string | undefined {
  const password = URL.canParse(address) ? decodeURIComponent(new URL(address).password) : ''
  return password === '' ? undefined : password
}
