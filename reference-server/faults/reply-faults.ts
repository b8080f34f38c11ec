import type { Fault } from './fault.ts'

export const replyFaults = {} as const satisfies Record<string, Fault>
