import { accessFaults } from './access-faults.ts'
import { accountFaults } from './account-faults.ts'
import { balanceFaults } from './balance-faults.ts'
import { bodyFaults } from './body-faults.ts'
import { chargeFaults } from './charge-faults.ts'
import { chunkFaults } from './chunk-faults.ts'
import { clientFaults } from './client-faults.ts'
import type { Fault, Variant } from './fault.ts'
import { framingFaults } from './framing-faults.ts'
import { httpFaults } from './http-faults.ts'
import { keyBookFaults } from './key-book-faults.ts'
import { keyFaults } from './key-faults.ts'
import { keyLimitFaults } from './key-limit-faults.ts'
import { leftStreamFaults } from './left-stream-faults.ts'
import { limitFaults } from './limit-faults.ts'
import { loadFaults } from './load-faults.ts'
import { messageFaults } from './message-faults.ts'
import { modeFaults } from './mode-faults.ts'
import { modelFaults } from './model-faults.ts'
import { nameFaults } from './name-faults.ts'
import { narrowFaults } from './narrow-faults.ts'
import { outageFaults } from './outage-faults.ts'
import { parameterFaults } from './parameter-faults.ts'
import { quotaFaults } from './quota-faults.ts'
import { relayClientFaults } from './relay-client-faults.ts'
import { relayFailureFaults } from './relay-failure-faults.ts'
import { relayMoneyFaults } from './relay-money-faults.ts'
import { relayRequestFaults } from './relay-request-faults.ts'
import { relayTextFaults } from './relay-text-faults.ts'
import { relayWireFaults } from './relay-wire-faults.ts'
import { rememberedFaults } from './remembered-faults.ts'
import { requestFaults } from './request-faults.ts'
import { secondTryFaults } from './second-try-faults.ts'
import { shapeFaults } from './shape-faults.ts'
import { sizeFaults } from './size-faults.ts'
import { stopFaults } from './stop-faults.ts'
import { textFaults } from './text-faults.ts'
import { usageFaults } from './usage-faults.ts'
import { variants as legal } from './variants.ts'

/** Every fault by its permanent name. */
export const faults: Readonly<Record<string, Fault>> = {
  ...parameterFaults,
  ...clientFaults,
  ...keyBookFaults,
  ...keyLimitFaults,
  ...leftStreamFaults,
  ...secondTryFaults,
  ...limitFaults,
  ...stopFaults,
  ...shapeFaults,
  ...modeFaults,
  ...usageFaults,
  ...modelFaults,
  ...chunkFaults,
  ...framingFaults,
  ...textFaults,
  ...narrowFaults,
  ...bodyFaults,
  ...sizeFaults,
  ...rememberedFaults,
  ...requestFaults,
  ...messageFaults,
  ...accessFaults,
  ...loadFaults,
  ...httpFaults,
  ...outageFaults,
  ...accountFaults,
  ...chargeFaults,
  ...balanceFaults,
  ...keyFaults,
  ...quotaFaults,
  ...nameFaults,
  ...relayTextFaults,
  ...relayMoneyFaults,
  ...relayRequestFaults,
  ...relayFailureFaults,
  ...relayClientFaults,
  ...relayWireFaults,
}

/** Every legal variant by its permanent name. */
export const variants: Readonly<Record<string, Variant>> = legal
