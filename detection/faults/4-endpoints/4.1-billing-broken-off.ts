import { setTimeout } from 'node:timers/promises'
import type { PicoUsd } from '../../../reference-server/ledger/money.ts'
import { charging, chargingRefusals, free, hasLeft, later, pay, withLedger } from '../../wraps/money.ts'
import { isStream, slowStreams } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-billing-broken-off.ts` must notice. */
export const billingBrokenOffFaults = {
  'left-stream-is-free': {
    about: 'A stream that its client leaves costs nothing.',
    breaks: ['billing.abort-is-charged'],
    wrap: () => ({ ...slowStreams, ...charging((cost, _, call) => (hasLeft(call) ? free : cost)) }),
  },
  'left-stream-sometimes-free': {
    about: 'Only the first abandoned stream of a key is charged.',
    breaks: ['billing.every-abort-is-charged'],
    wrap: () => {
      const seen = new Set<string>()
      const charge = charging((cost, _, call) => {
        if (!hasLeft(call)) return cost
        const id = call.caller?.key.id ?? ''
        const isFirst = !seen.has(id)
        seen.add(id)
        return isFirst ? cost : free
      })
      return { ...slowStreams, ...charge }
    },
  },
  'left-stream-charged-late': {
    about: 'An abandoned stream is charged in two parts, the second long after the first.',
    breaks: ['billing.abort-comes-to-rest'],
    wrap: () =>
      withLedger((ledger) => ({
        ...slowStreams,
        charge: (real) => async (held, cost, usage, call) => {
          if (!hasLeft(call)) return real(held, cost, usage, call)
          const half = (cost / 2n) as PicoUsd
          await real(held, half, usage, call)
          later(280, () => pay(ledger, half, usage, call))
        },
      })),
  },
  'left-stream-charged-hundredfold': {
    about: 'An abandoned stream costs a hundred times what was delivered.',
    breaks: ['billing.abort-costs-no-more'],
    wrap: () => ({
      ...slowStreams,
      ...charging((cost, _, call) => (hasLeft(call) ? ((cost * 100n) as PicoUsd) : cost)),
      hold: (real) => (most, caller, call) => real((most * 100n) as PicoUsd, caller, call),
    }),
  },
  'bad-request-is-charged': {
    about: 'A request refused with 400 is charged for its prompt.',
    breaks: ['billing.refusals-are-free', 'key.refusals-are-not-usage'],
    wrap: () => chargingRefusals(({ status }) => status === 400),
  },
  'unknown-model-is-charged': {
    about: 'A request for a model that does not exist is charged.',
    breaks: ['billing.refusals-are-free'],
    wrap: () => chargingRefusals(({ status }) => status === 404),
  },
  'limited-is-charged': {
    about: 'A request over its rate limit is charged.',
    breaks: ['billing.limited-is-free'],
    wrap: () => chargingRefusals(({ status }) => status === 429),
  },
  'unavailable-is-charged': {
    about: 'A request for a model without a node is charged.',
    breaks: ['billing.unavailable-is-free'],
    wrap: () => chargingRefusals(({ status }) => status === 503),
  },
  'unavailable-stream-is-charged': {
    about: 'A stream request for a model without a node is charged.',
    breaks: ['billing.unavailable-is-free'],
    wrap: () => chargingRefusals(({ status }, call) => status === 503 && isStream(call)),
  },
  'balance-checked-and-moved-apart': {
    about: 'The balance is checked before a request and charged after it; what is missing by then is never paid.',
    breaks: ['billing.no-overdraft'],
    wrap: () => {
      let inFlight = 0
      return withLedger((ledger) => ({
        hold: (real) => async (most, caller, call) => {
          const look = await real(most, caller, call)
          await ledger.release(look, call)
          return look
        },
        charge: () => (_, cost, usage, call) => pay(ledger, cost, usage, call),
        generate: (real) =>
          async function* (node, job, signal, call) {
            inFlight += 1
            try {
              // Waits as long as more requests come, so that a burst meets on a busy machine too.
              let before = 0
              while (inFlight > before) {
                before = inFlight
                await setTimeout(10)
              }
              return yield* real(node, job, signal, call)
            } finally {
              inFlight -= 1
            }
          },
      }))
    },
  },
} as const satisfies Record<string, Fault>
