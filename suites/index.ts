import type { Check } from '../src/check/check.ts'
import { accounts } from './1-service/1-accounts.ts'
import { blamedNodes } from './1-service/1-blamed-nodes.ts'
import { clientFields } from './1-service/1-client-fields.ts'
import { concurrency } from './1-service/1-concurrency.ts'
import { interruptedStreams } from './1-service/1-interrupted-streams.ts'
import { leftStreams } from './1-service/1-left-streams.ts'
import { nodes } from './1-service/1-nodes.ts'
import { repeats } from './1-service/1-repeats.ts'
import { restarts } from './1-service/1-restarts.ts'
import { secondTries } from './1-service/1-second-tries.ts'
import { slowReaders } from './1-service/1-slow-readers.ts'
import { bodyForms } from './2-resources/2.1-body-forms.ts'
import { finishReason } from './2-resources/2.1-finish-reason.ts'
import { maxTokens } from './2-resources/2.1-max-tokens.ts'
import { maxTokensOdd } from './2-resources/2.1-max-tokens-odd.ts'
import { remembered } from './2-resources/2.1-remembered.ts'
import { request } from './2-resources/2.1-request.ts'
import { sampling } from './2-resources/2.1-sampling.ts'
import { samplingPairs } from './2-resources/2.1-sampling-pairs.ts'
import { samplingTypes } from './2-resources/2.1-sampling-types.ts'
import { stop } from './2-resources/2.1-stop.ts'
import { stopText } from './2-resources/2.1-stop-text.ts'
import { message } from './2-resources/2.2-message.ts'
import { nullFields } from './2-resources/2.2-null-fields.ts'
import { text } from './2-resources/2.2-text.ts'
import { chatCompletion } from './2-resources/2.3-chat-completion.ts'
import { usage } from './2-resources/2.3-usage.ts'
import { usageAndLimit } from './2-resources/2.3-usage-and-limit.ts'
import { usageWithoutLimit } from './2-resources/2.3-usage-without-limit.ts'
import { optionalFields } from './2-resources/2.4-optional-fields.ts'
import { streamChunk } from './2-resources/2.4-stream-chunk.ts'
import { modelListing } from './2-resources/2.5-model-list.ts'
import { apiKey } from './2-resources/2.6-api-key.ts'
import { keyBooks } from './2-resources/2.6-key-books.ts'
import { keyLimits } from './2-resources/2.6-key-limits.ts'
import { limitForms } from './2-resources/2.6-limit-forms.ts'
import { afterTheRun } from './4-endpoints/4.1-after-the-run.ts'
import { billing } from './4-endpoints/4.1-billing.ts'
import { billingBrokenOff } from './4-endpoints/4.1-billing-broken-off.ts'
import { billingRare } from './4-endpoints/4.1-billing-rare.ts'
import { billingRelayed } from './4-endpoints/4.1-billing-relayed.ts'
import { connections } from './4-endpoints/4.1-connections.ts'
import { createChatCompletion } from './4-endpoints/4.1-create-chat-completion.ts'
import { http } from './4-endpoints/4.1-http.ts'
import { idleConnections } from './4-endpoints/4.1-idle-connections.ts'
import { relayedAudits } from './4-endpoints/4.1-relayed-audits.ts'
import { relayedChunks } from './4-endpoints/4.1-relayed-chunks.ts'
import { relayedCodings } from './4-endpoints/4.1-relayed-codings.ts'
import { relayedExchanges } from './4-endpoints/4.1-relayed-exchanges.ts'
import { relayedKeys } from './4-endpoints/4.1-relayed-keys.ts'
import { relayedPauses } from './4-endpoints/4.1-relayed-pauses.ts'
import { relayedRequest } from './4-endpoints/4.1-relayed-request.ts'
import { relayedText } from './4-endpoints/4.1-relayed-text.ts'
import { relayedTiming } from './4-endpoints/4.1-relayed-timing.ts'
import { relayedUnicode } from './4-endpoints/4.1-relayed-unicode.ts'
import { relayedUsage } from './4-endpoints/4.1-relayed-usage.ts'
import { relayedWire } from './4-endpoints/4.1-relayed-wire.ts'
import { listModels } from './4-endpoints/4.2-list-models.ts'
import { httpClients } from './4-endpoints/4-http-clients.ts'
import { bearerKey } from './5-authentication/5-bearer-key.ts'
import { changedKeys } from './5-authentication/5-changed-keys.ts'
import { revocation } from './5-authentication/5-revocation.ts'
import { specialKeys } from './5-authentication/5-special-keys.ts'
import { eventContent } from './6-events/6-content.ts'
import { eventFraming } from './6-events/6-framing.ts'
import { throughput } from './6-events/6-throughput.ts'
import { errorEvents } from './7-errors/7-error-events.ts'
import { lateFailures } from './7-errors/7-late-failures.ts'
import { listedNodes } from './7-errors/7-listed-nodes.ts'
import { nodeFailures } from './7-errors/7-node-failures.ts'
import { takenDown } from './7-errors/7-taken-down.ts'
import { unavailableModel } from './7-errors/7-unavailable-model.ts'
import { unreachableNodes } from './7-errors/7-unreachable-nodes.ts'
import { contextWindow } from './8-limits/8-context-window.ts'
import { pathPrefix } from './9-versioning/9-path-prefix.ts'

/** Every check, in the order of the contract. */
export const checks: readonly Check[] = [
  concurrency,
  interruptedStreams,
  accounts,
  nodes,
  repeats,
  restarts,
  secondTries,
  slowReaders,
  leftStreams,
  blamedNodes,
  clientFields,
  request,
  sampling,
  samplingPairs,
  samplingTypes,
  maxTokens,
  finishReason,
  bodyForms,
  remembered,
  maxTokensOdd,
  stop,
  stopText,
  message,
  nullFields,
  text,
  chatCompletion,
  usage,
  usageAndLimit,
  usageWithoutLimit,
  streamChunk,
  optionalFields,
  modelListing,
  apiKey,
  keyLimits,
  limitForms,
  keyBooks,
  createChatCompletion,
  billing,
  billingBrokenOff,
  billingRare,
  billingRelayed,
  relayedText,
  relayedUsage,
  relayedWire,
  relayedCodings,
  relayedChunks,
  relayedTiming,
  relayedPauses,
  relayedExchanges,
  relayedAudits,
  relayedRequest,
  relayedKeys,
  relayedUnicode,
  http,
  httpClients,
  afterTheRun,
  connections,
  idleConnections,
  listModels,
  bearerKey,
  specialKeys,
  changedKeys,
  revocation,
  eventFraming,
  throughput,
  eventContent,
  unavailableModel,
  takenDown,
  nodeFailures,
  errorEvents,
  lateFailures,
  unreachableNodes,
  listedNodes,
  contextWindow,
  pathPrefix,
].flat()
