import type { Fault } from './fault.ts'

export const accessFaults = {} as const satisfies Record<string, Fault>
