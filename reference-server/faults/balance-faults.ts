import { setTimeout } from 'node:timers/promises'
import { GatewayError } from '../gateway/gateway-error.ts'
import type { PicoUsd } from '../ledger/money.ts'
import type { Fault } from './fault.ts'
import {
  charging,
  chargingRefusals,
  free,
  hasLeft,
  later,
  leaking,
  pay,
  payingForOthers,
  withLedger,
} from './money-tools.ts'
import { isStream, slowly } from './tools.ts'

/** Faults of what is charged for requests that broke off or were refused, of holds and of balances. */
export const balanceFaults = {
  'left-stream-is-free': {
    about: 'A stream that the client leaves costs nothing.',
    breaks: ['billing.abort-is-charged'],
    wrap: () => ({ ...slowly, ...charging((cost, _, call) => (hasLeft(call) ? free : cost)) }),
  },
  'left-stream-sometimes-free': {
    about: 'Of the streams of a key that are left the first one alone is charged.',
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
      return { ...slowly, ...charge }
    },
  },
  'left-stream-charged-late': {
    about: 'The charge of a stream that is left comes in two parts, the second one long after.',
    breaks: ['billing.abort-comes-to-rest'],
    wrap: () =>
      withLedger((ledger) => ({
        ...slowly,
        charge: (real) => async (held, cost, usage, call) => {
          if (!hasLeft(call)) return real(held, cost, usage, call)
          const half = (cost / 2n) as PicoUsd
          await real(held, half, usage, call)
          later(280, () => pay(ledger, half, usage, call))
        },
      })),
  },
  'left-stream-charged-hundredfold': {
    about: 'A stream that is left costs a hundred times what was delivered.',
    breaks: ['billing.abort-costs-no-more'],
    wrap: () => ({
      ...slowly,
      ...charging((cost, _, call) => (hasLeft(call) ? ((cost * 100n) as PicoUsd) : cost)),
      hold: (real) => (most, caller, call) => real((most * 100n) as PicoUsd, caller, call),
    }),
  },
  'bad-request-is-charged': {
    about: 'A request that is refused with a 400 is charged for its prompt.',
    breaks: ['billing.refusals-are-free', 'key.refusals-are-not-usage'],
    wrap: () => chargingRefusals(({ status }) => status === 400),
  },
  'unknown-model-is-charged': {
    about: 'A request for a model that does not exist is charged.',
    breaks: ['billing.refusals-are-free'],
    wrap: () => chargingRefusals(({ status }) => status === 404),
  },
  'limited-is-charged': {
    about: 'A request over the limit is charged.',
    breaks: ['billing.limited-is-free'],
    wrap: () => chargingRefusals(({ status }) => status === 429),
  },
  'unavailable-is-charged': {
    about: 'A request for a model without a node is charged.',
    breaks: ['billing.unavailable-is-free'],
    wrap: () => chargingRefusals(({ status }) => status === 503),
  },
  'unavailable-stream-is-charged': {
    about: 'A stream of a model without a node is charged.',
    breaks: ['billing.unavailable-is-free'],
    wrap: () => chargingRefusals(({ status }, call) => status === 503 && isStream(call)),
  },
  'hold-leaks-on-abort': {
    about: 'What was set aside for a stream stays so when the client leaves.',
    breaks: ['billing.nothing-stays-held'],
    wrap: () => ({ ...slowly, ...leaking(hasLeft, 'charge') }),
  },
  'hold-leaks-without-a-node': {
    about: 'What was set aside stays so when no node is found.',
    breaks: ['billing.nothing-stays-held'],
    wrap: () => leaking(() => true, 'release'),
  },
  'hold-leaks-in-streams': {
    about: 'A part of what was set aside for a stream is never freed.',
    breaks: ['billing.nothing-stays-held'],
    wrap: () => leaking(isStream, 'charge'),
  },
  'balance-checked-and-moved-apart': {
    about: 'The balance is looked at before a request and moved behind it; what is not there is never paid.',
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
              // As long as more requests come, so that a burst meets on a busy machine too.
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
  'first-account-pays': {
    about: 'Whoever asks, the account of the first caller pays.',
    breaks: ['billing.reply-charged', 'account.exhausted-is-refused', 'auth.unfunded-key-refused'],
    wrap: () => payingForOthers(() => true),
  },
  'second-key-is-free': {
    about: 'Requests with a key that is not the first of its account are charged to nobody.',
    breaks: ['billing.keys-share-the-account'],
    wrap: () => {
      const firsts = new Map<string, string>()
      return charging((cost, _, { caller }) => {
        const { id, accountId } = caller?.key ?? { id: '', accountId: '' }
        const first = firsts.get(accountId) ?? id
        firsts.set(accountId, first)
        return first === id ? cost : free
      })
    },
  },
  'tenth-charge-is-lost': {
    about: 'Of the charges of an account every tenth is lost.',
    breaks: ['billing.sums-exactly'],
    wrap: () => {
      const counts = new Map<string, number>()
      return charging((cost, _, { caller }) => {
        const account = caller?.key.accountId ?? ''
        const count = (counts.get(account) ?? 0) + 1
        counts.set(account, count)
        return count % 10 === 0 && caller?.key.name.startsWith('assay ') === true ? free : cost
      })
    },
  },
  'entries-without-credit': {
    about: 'Credit that is added later has no entry.',
    breaks: ['billing.entries-are-the-balance'],
    wrap: () => ({
      entries:
        (real) =>
        async (...page) =>
          (await real(...page)).filter(({ kind, number }) => kind === 'charge' || number === 1),
    }),
  },
  'entries-of-dollars-rounded': {
    about: 'Entries show their sum in whole thousandths of a cent.',
    breaks: ['billing.entries-are-the-balance'],
    follows: ['key.usage-is-what-was-charged'],
    wrap: () => ({
      entries:
        (real) =>
        async (...page) =>
          (await real(...page)).map((entry) => ({ ...entry, usd: (entry.usd - (entry.usd % 10_000_000n)) as PicoUsd })),
    }),
  },
  'new-account-is-empty': {
    about: 'A new account receives no free credit.',
    breaks: ['account.free-credit'],
    wrap: () => ({ openAccount: (real) => (name, credit) => real(name, credit ?? free) }),
  },
  'free-credit-can-not-be-spent': {
    about: 'The free credit is shown, and no request may use it.',
    breaks: ['account.free-credit'],
    wrap: () => {
      const gifts = new Set<string>()
      return {
        openAccount: (real) => async (name, credit) => {
          const account = await real(name, credit)
          if (credit === undefined) gifts.add(account.id)
          return account
        },
        hold: (real) => (most, caller, call) =>
          real((gifts.has(caller.key.accountId) ? most * 1_000_000n : most) as PicoUsd, caller, call),
      }
    },
  },
  'poverty-is-remembered': {
    about: 'An account that was refused once for lack of funds is refused for ever.',
    breaks: ['account.credit-works-at-once'],
    wrap: () => {
      const poor = new Map<string, GatewayError>()
      return {
        hold: (real) => async (most, caller, call) => {
          const known = poor.get(caller.key.accountId)
          if (known !== undefined) throw known
          return real(most, caller, call).catch((error: unknown) => {
            if (error instanceof GatewayError) poor.set(caller.key.accountId, error)
            throw error
          })
        },
      }
    },
  },
} as const satisfies Record<string, Fault>
