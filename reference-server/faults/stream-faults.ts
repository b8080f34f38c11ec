import type { Fault } from './fault.ts'

export const streamFaults = {} as const satisfies Record<string, Fault>
