import type { Fault } from './fault.ts'

export const requestFaults = {} as const satisfies Record<string, Fault>
