import type { PicoUsd } from '../../../reference-server/ledger/money.ts'
import { charging, free, priceOf, pricing } from '../../wraps/money.ts'
import { isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-billing-rare.ts` must notice. */
export const billingRareFaults = {
  'chunked-request-is-free': {
    about: 'A request without Content-Length costs nothing.',
    breaks: ['billing.chunked-request-charged'],
    wrap: () => charging((cost, _, { request }) => (request.headers['transfer-encoding'] === undefined ? cost : free)),
  },
  'deleted-key-pays-nothing': {
    about: 'A stream whose key is deleted while it runs is completed but costs nothing.',
    breaks: ['billing.deleted-key-still-pays'],
    wrap: () => {
      const deleted = new Set<string>()
      return {
        deleteKey: (real) => (keyId) => {
          deleted.add(keyId)
          return real(keyId)
        },
        charge: (real) => async (hold, cost, usage, call) => {
          await new Promise((resolve) => setTimeout(resolve, 60))
          await real(hold, deleted.has(call.caller?.key.id ?? '') ? (0n as typeof cost) : cost, usage, call)
        },
      }
    },
  },
  'large-prompt-charged-in-two-bytes': {
    about: 'Prompt tokens are charged as a two-byte number, so 65,536 of them cost nothing.',
    breaks: ['billing.large-prompt-charged'],
    wrap: () =>
      pricing(({ promptTokens, completionTokens }, call) => [
        (promptTokens % 65_536) + completionTokens,
        priceOf(call),
      ]),
  },
  'long-stream-charged-on-the-way': {
    about: 'Streams of 512 tokens or more are charged while they run, and once more as a whole.',
    breaks: ['billing.long-stream-charged'],
    wrap: () =>
      charging((cost, { completionTokens }, call) =>
        isStream(call) && completionTokens >= 512 ? ((cost + cost / 2n) as PicoUsd) : cost,
      ),
  },
} as const satisfies Record<string, Fault>
