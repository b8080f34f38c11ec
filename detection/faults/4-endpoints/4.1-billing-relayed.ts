import type { Call } from '../../../reference-server/gateway/seams.ts'
import {
  charging,
  chargingAgain,
  chargingRefusals,
  free,
  hasLeft,
  limitOf,
  pricing,
  tokensOf,
} from '../../wraps/money.ts'
import { isRelayedCall } from '../../wraps/relay.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-billing-relayed.ts` must notice. */
export const billingRelayedFaults = {
  'relay-is-free': {
    about: "Replies from an operator's node are not charged; those that the gateway simulates are.",
    breaks: ['billing.relayed-is-charged', 'billing.each-model-at-its-price'],
    wrap: () => charging((cost, _, call) => (isRelayedCall(call) ? free : cost)),
  },
  'relay-streams-are-free': {
    about: "Streams from an operator's node are not charged; its non-streamed replies are.",
    breaks: ['billing.relayed-is-charged', 'billing.each-model-at-its-price'],
    wrap: () => charging((cost, _, call) => (isRelayedCall(call) && call.body?.stream === true ? free : cost)),
  },
  'relay-has-the-price-of-another-model': {
    about: "Replies from an operator's node cost as much as those of the most expensive model.",
    breaks: ['billing.relayed-is-charged'],
    wrap: () => pricing((usage, call) => [tokensOf(usage), isRelayedCall(call) ? 1.5 : (call.model?.price ?? 0)]),
  },
  'second-try-is-charged-twice': {
    about: 'A request whose first node failed is charged once for each node tried.',
    breaks: ['billing.second-try-is-charged-once'],
    wrap: () => {
      const { timesTried, note } = countingTries()
      return {
        ...chargingAgain((call) => timesTried(call) > 1),
        chooseNode: (real) => (model, call) => {
          note(call)
          return real(model, call)
        },
      }
    },
  },
  'second-try-is-free': {
    about: 'A request whose first node failed is not charged.',
    breaks: ['billing.second-try-is-charged-once'],
    wrap: () => {
      const { timesTried, note } = countingTries()
      return {
        ...charging((cost, _, call) => (timesTried(call) > 1 ? free : cost)),
        chooseNode: (real) => (model, call) => {
          note(call)
          return real(model, call)
        },
      }
    },
  },
  'failed-node-is-charged': {
    about: 'A request whose nodes all failed is charged as if it had been answered.',
    breaks: ['billing.failed-node-is-free'],
    wrap: () => chargingRefusals(({ status }, call) => status === 503 && isRelayedCall(call)),
  },
  'left-relay-is-charged-to-its-limit': {
    about: "A stream from an operator's node is charged to its full limit when the client leaves it.",
    breaks: ['billing.left-node-is-paid-for-its-words'],
    wrap: () =>
      pricing((usage, call) => [
        isRelayedCall(call) && hasLeft(call)
          ? usage.promptTokens + limitOf(call, usage.completionTokens)
          : tokensOf(usage),
        call.model?.price ?? 0,
      ]),
  },
  'left-relay-costs-a-minimum': {
    about: "A stream from an operator's node costs at least a hundredth of a cent when the client leaves it.",
    breaks: ['billing.left-node-is-paid-for-its-words'],
    wrap: () =>
      charging((cost, _, call) => {
        const least = 100_000_000n as typeof cost
        return isRelayedCall(call) && hasLeft(call) && cost < least ? least : cost
      }),
  },
} as const satisfies Record<string, Fault>

/** Counts how often a node was chosen for a request. */
function countingTries() {
  const tries = new WeakMap<Call, number>()
  return {
    timesTried: (call: Call): number => tries.get(call) ?? 0,
    note: (call: Call): void => {
      tries.set(call, (tries.get(call) ?? 0) + 1)
    },
  }
}
