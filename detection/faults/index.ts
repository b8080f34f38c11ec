import { accountsFaults } from './1-service/1-accounts.ts'
import { blamedNodesFaults } from './1-service/1-blamed-nodes.ts'
import { concurrencyFaults } from './1-service/1-concurrency.ts'
import { interruptedStreamsFaults } from './1-service/1-interrupted-streams.ts'
import { leftStreamsFaults } from './1-service/1-left-streams.ts'
import { nodesFaults } from './1-service/1-nodes.ts'
import { restartsFaults } from './1-service/1-restarts.ts'
import { secondTriesFaults } from './1-service/1-second-tries.ts'
import { slowReadersFaults } from './1-service/1-slow-readers.ts'
import { bodyFormsFaults } from './2-resources/2.1-body-forms.ts'
import { finishReasonFaults } from './2-resources/2.1-finish-reason.ts'
import { maxTokensFaults } from './2-resources/2.1-max-tokens.ts'
import { maxTokensOddFaults } from './2-resources/2.1-max-tokens-odd.ts'
import { rememberedFaults } from './2-resources/2.1-remembered.ts'
import { requestFaults } from './2-resources/2.1-request.ts'
import { samplingFaults } from './2-resources/2.1-sampling.ts'
import { samplingPairsFaults } from './2-resources/2.1-sampling-pairs.ts'
import { samplingTypesFaults } from './2-resources/2.1-sampling-types.ts'
import { stopFaults } from './2-resources/2.1-stop.ts'
import { stopTextFaults } from './2-resources/2.1-stop-text.ts'
import { messageFaults } from './2-resources/2.2-message.ts'
import { nullFieldsFaults } from './2-resources/2.2-null-fields.ts'
import { textFaults } from './2-resources/2.2-text.ts'
import { chatCompletionFaults } from './2-resources/2.3-chat-completion.ts'
import { usageFaults } from './2-resources/2.3-usage.ts'
import { usageAndLimitFaults } from './2-resources/2.3-usage-and-limit.ts'
import { usageWithoutLimitFaults } from './2-resources/2.3-usage-without-limit.ts'
import { optionalFieldsFaults } from './2-resources/2.4-optional-fields.ts'
import { streamChunkFaults } from './2-resources/2.4-stream-chunk.ts'
import { modelListFaults } from './2-resources/2.5-model-list.ts'
import { apiKeyFaults } from './2-resources/2.6-api-key.ts'
import { keyBooksFaults } from './2-resources/2.6-key-books.ts'
import { keyLimitsFaults } from './2-resources/2.6-key-limits.ts'
import { limitFormsFaults } from './2-resources/2.6-limit-forms.ts'
import { afterTheRunFaults } from './4-endpoints/4.1-after-the-run.ts'
import { billingFaults } from './4-endpoints/4.1-billing.ts'
import { billingBrokenOffFaults } from './4-endpoints/4.1-billing-broken-off.ts'
import { billingRareFaults } from './4-endpoints/4.1-billing-rare.ts'
import { billingRelayedFaults } from './4-endpoints/4.1-billing-relayed.ts'
import { connectionsFaults } from './4-endpoints/4.1-connections.ts'
import { createChatCompletionFaults } from './4-endpoints/4.1-create-chat-completion.ts'
import { httpFaults } from './4-endpoints/4.1-http.ts'
import { idleConnectionsFaults } from './4-endpoints/4.1-idle-connections.ts'
import { relayedAuditsFaults } from './4-endpoints/4.1-relayed-audits.ts'
import { relayedChunksFaults } from './4-endpoints/4.1-relayed-chunks.ts'
import { relayedCodingsFaults } from './4-endpoints/4.1-relayed-codings.ts'
import { relayedExchangesFaults } from './4-endpoints/4.1-relayed-exchanges.ts'
import { relayedKeysFaults } from './4-endpoints/4.1-relayed-keys.ts'
import { relayedPausesFaults } from './4-endpoints/4.1-relayed-pauses.ts'
import { relayedRequestFaults } from './4-endpoints/4.1-relayed-request.ts'
import { relayedTextFaults } from './4-endpoints/4.1-relayed-text.ts'
import { relayedTimingFaults } from './4-endpoints/4.1-relayed-timing.ts'
import { relayedUnicodeFaults } from './4-endpoints/4.1-relayed-unicode.ts'
import { relayedUsageFaults } from './4-endpoints/4.1-relayed-usage.ts'
import { relayedWireFaults } from './4-endpoints/4.1-relayed-wire.ts'
import { listModelsFaults } from './4-endpoints/4.2-list-models.ts'
import { httpClientsFaults } from './4-endpoints/4-http-clients.ts'
import { bearerKeyFaults } from './5-authentication/5-bearer-key.ts'
import { changedKeysFaults } from './5-authentication/5-changed-keys.ts'
import { revocationFaults } from './5-authentication/5-revocation.ts'
import { specialKeysFaults } from './5-authentication/5-special-keys.ts'
import { contentFaults } from './6-events/6-content.ts'
import { framingFaults } from './6-events/6-framing.ts'
import { throughputFaults } from './6-events/6-throughput.ts'
import { errorEventsFaults } from './7-errors/7-error-events.ts'
import { lateFailuresFaults } from './7-errors/7-late-failures.ts'
import { listedNodesFaults } from './7-errors/7-listed-nodes.ts'
import { nodeFailuresFaults } from './7-errors/7-node-failures.ts'
import { takenDownFaults } from './7-errors/7-taken-down.ts'
import { unavailableModelFaults } from './7-errors/7-unavailable-model.ts'
import { unreachableNodesFaults } from './7-errors/7-unreachable-nodes.ts'
import { contextWindowFaults } from './8-limits/8-context-window.ts'
import { pathPrefixFaults } from './9-versioning/9-path-prefix.ts'
import type { Fault } from './fault.ts'

/** The tables of faults, one for each file of checks. */
export const faultTables = [
  accountsFaults,
  concurrencyFaults,
  interruptedStreamsFaults,
  leftStreamsFaults,
  blamedNodesFaults,
  restartsFaults,
  nodesFaults,
  secondTriesFaults,
  slowReadersFaults,
  bodyFormsFaults,
  maxTokensOddFaults,
  maxTokensFaults,
  finishReasonFaults,
  rememberedFaults,
  requestFaults,
  samplingPairsFaults,
  samplingTypesFaults,
  samplingFaults,
  stopTextFaults,
  stopFaults,
  messageFaults,
  nullFieldsFaults,
  textFaults,
  chatCompletionFaults,
  usageFaults,
  usageAndLimitFaults,
  usageWithoutLimitFaults,
  optionalFieldsFaults,
  streamChunkFaults,
  modelListFaults,
  apiKeyFaults,
  keyBooksFaults,
  keyLimitsFaults,
  limitFormsFaults,
  httpClientsFaults,
  billingBrokenOffFaults,
  billingRareFaults,
  billingRelayedFaults,
  billingFaults,
  afterTheRunFaults,
  connectionsFaults,
  idleConnectionsFaults,
  createChatCompletionFaults,
  httpFaults,
  relayedChunksFaults,
  relayedRequestFaults,
  relayedKeysFaults,
  relayedUnicodeFaults,
  relayedTextFaults,
  relayedUsageFaults,
  relayedWireFaults,
  relayedCodingsFaults,
  relayedTimingFaults,
  relayedPausesFaults,
  relayedExchangesFaults,
  relayedAuditsFaults,
  listModelsFaults,
  bearerKeyFaults,
  changedKeysFaults,
  revocationFaults,
  specialKeysFaults,
  contentFaults,
  framingFaults,
  throughputFaults,
  nodeFailuresFaults,
  errorEventsFaults,
  lateFailuresFaults,
  takenDownFaults,
  unavailableModelFaults,
  unreachableNodesFaults,
  listedNodesFaults,
  contextWindowFaults,
  pathPrefixFaults,
] as const

type KeysOf<Table> = Table extends unknown ? keyof Table & string : never

/** The permanent name of a fault. */
export type FaultId = KeysOf<(typeof faultTables)[number]>

/** Every fault by its name. */
export const faults: Readonly<Record<FaultId, Fault>> = Object.assign({}, ...faultTables)
