import { accessFaults } from './access-faults.ts'
import { chunkFaults } from './chunk-faults.ts'
import type { Fault, Variant } from './fault.ts'
import { framingFaults } from './framing-faults.ts'
import { limitFaults } from './limit-faults.ts'
import { messageFaults } from './message-faults.ts'
import { parameterFaults } from './parameter-faults.ts'
import { replyFaults } from './reply-faults.ts'
import { requestFaults } from './request-faults.ts'
import { modelFaults, shapeFaults, usageFaults } from './shape-faults.ts'
import { stopFaults } from './stop-faults.ts'
import { streamFaults } from './stream-faults.ts'
import { textFaults } from './text-faults.ts'
import { variants as legal } from './variants.ts'

/** Every fault by its permanent name. */
export const faults: Readonly<Record<string, Fault>> = {
  ...parameterFaults,
  ...limitFaults,
  ...stopFaults,
  ...shapeFaults,
  ...usageFaults,
  ...modelFaults,
  ...chunkFaults,
  ...framingFaults,
  ...textFaults,
  ...requestFaults,
  ...messageFaults,
  ...replyFaults,
  ...streamFaults,
  ...accessFaults,
}

/** Every legal variant by its permanent name. */
export const variants: Readonly<Record<string, Variant>> = legal
