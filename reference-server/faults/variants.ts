import type { Variant } from './fault.ts'

export const variants = {} as const satisfies Record<string, Variant>
