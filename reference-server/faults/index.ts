import type { Fault, Variant } from './fault.ts'
import { accessFaults } from './access-faults.ts'
import { requestFaults } from './request-faults.ts'
import { replyFaults } from './reply-faults.ts'
import { streamFaults } from './stream-faults.ts'
import { variants as legal } from './variants.ts'

/** Every fault by its permanent name. */
export const faults: Readonly<Record<string, Fault>> = { ...requestFaults, ...replyFaults, ...streamFaults, ...accessFaults }

/** Every legal variant by its permanent name. */
export const variants: Readonly<Record<string, Variant>> = legal
