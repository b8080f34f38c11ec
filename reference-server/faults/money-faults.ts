import { setTimeout } from 'node:timers/promises'
import { GatewayError } from '../gateway/gateway-error.ts'
import type { Call, Caller, Seams, Usage, Wrap } from '../gateway/seams.ts'
import { costOf, type PicoUsd, pricePerToken } from '../ledger/money.ts'
import type { Fault } from './fault.ts'
import { isStream, slowly } from './tools.ts'

/** Charges something else than what the request cost; never more than was set aside. */
function charging(change: (cost: PicoUsd, usage: Usage, call: Call) => PicoUsd): Wrap {
  return { charge: (real) => (hold, cost, usage, call) => real(hold, change(cost, usage, call), usage, call) }
}

/** Prices by other tokens or another price. */
function pricing(usdPerMillion: (usage: Usage, call: Call) => readonly [tokens: number, price: number]): Wrap {
  return charging((_, usage, call) => {
    const [tokens, price] = usdPerMillion(usage, call)
    return costOf(tokens, pricePerToken(price))
  })
}

const free = 0n as PicoUsd
const tokensOf = ({ promptTokens, completionTokens }: Usage): number => promptTokens + completionTokens
const priceOf = ({ model }: Call): number => model?.price ?? 0
const limitOf = ({ body }: Call, used: number): number => Math.min(4096, body?.tokensMax ?? used)
const hasLeft = ({ left }: Call): boolean => left.aborted

/** The honest seams of money, for faults that use them once more. */
interface Ledger {
  readonly hold: Seams['hold']
  readonly charge: Seams['charge']
  readonly release: Seams['release']
}

/** Wraps with the honest ledger at hand, which is known before the first request. */
function withLedger(use: (ledger: Ledger) => Wrap): Wrap {
  const unknown = (): never => {
    throw new Error('the ledger is used before the gateway is made of its seams')
  }
  const ledger: { -readonly [K in keyof Ledger]: Ledger[K] } = { hold: unknown, charge: unknown, release: unknown }
  const wrap = use(ledger)
  return {
    ...wrap,
    hold(real) {
      ledger.hold = real
      return wrap.hold?.(real) ?? real
    },
    charge(real) {
      ledger.charge = real
      return wrap.charge?.(real) ?? real
    },
    release(real) {
      ledger.release = real
      return wrap.release?.(real) ?? real
    },
  }
}

/** Does something behind the answer; by then the account may be closed. */
function later(ms: number, work: () => Promise<void>): void {
  void setTimeout(ms)
    .then(work)
    .catch(() => undefined)
}

/** Charges once more for the calls that `when` names. */
function chargingAgain(when: (call: Call) => boolean): Wrap {
  return withLedger((ledger) => ({
    charge: (real) => async (held, cost, usage, call) => {
      await real(held, cost, usage, call)
      if (when(call)) await pay(ledger, cost, usage, call)
    },
  }))
}

/** A hold and its charge at once. Who can't pay, does not. */
async function pay(ledger: Ledger, cost: PicoUsd, usage: Usage, call: Call): Promise<void> {
  if (call.caller === undefined) return
  const held = await ledger.hold(cost, call.caller, call).catch(() => undefined)
  if (held !== undefined) await ledger.charge(held, cost, usage, call)
}

/** Charges refusals of these statuses as if they had been replies of ten tokens. */
function chargingRefusals(isCharged: (error: GatewayError, call: Call) => boolean): Wrap {
  return withLedger((ledger) => ({
    errorAnswer: (real) => (error, call) => {
      const usage = { promptTokens: 10, completionTokens: 0 }
      if (isCharged(error, call)) later(0, () => pay(ledger, 1_000_000n as PicoUsd, usage, call))
      return real(error, call)
    },
  }))
}

/** Sets money aside that nobody frees again. */
function leaking(when: (call: Call) => boolean, at: 'charge' | 'release'): Wrap {
  return withLedger((ledger) => {
    const leak = async (call: Call): Promise<void> => {
      if (when(call) && call.caller !== undefined) await ledger.hold(1000n as PicoUsd, call.caller, call)
    }
    if (at === 'release')
      return {
        release: (real) => async (held, call) => {
          await real(held, call)
          await leak(call)
        },
      }
    return {
      charge: (real) => async (held, cost, usage, call) => {
        await real(held, cost, usage, call)
        await leak(call)
      },
    }
  })
}

/** Lets the account of the first caller pay for everybody, or for those that `when` names. */
function payingForOthers(when: (caller: Caller) => boolean): Wrap {
  let first: Caller | undefined
  return {
    hold: (real) => (most, caller, call) => {
      first ??= caller
      return real(most, when(caller) ? first : caller, call)
    },
  }
}

/** Faults of prices, charges, holds and balances. */
export const moneyFaults = {
  'reply-is-free': {
    about: 'Replies that are not streamed cost nothing.',
    breaks: ['billing.reply-charged'],
    wrap: () => charging((cost, _, call) => (isStream(call) ? cost : free)),
  },
  'stream-is-free': {
    about: 'Streams are metered as zero.',
    breaks: ['billing.stream-charged'],
    wrap: () => charging((cost, _, call) => (isStream(call) ? free : cost)),
  },
  'prompt-is-free': {
    about: 'The prompt tokens are not charged.',
    breaks: ['billing.reply-charged'],
    wrap: () => pricing(({ completionTokens }, call) => [completionTokens, priceOf(call)]),
  },
  'completion-is-free': {
    about: 'The completion tokens are not charged.',
    breaks: ['billing.reply-charged'],
    wrap: () => pricing(({ promptTokens }, call) => [promptTokens, priceOf(call)]),
  },
  'stream-prompt-is-free': {
    about: 'Of a stream the completion alone is charged.',
    breaks: ['billing.stream-charged'],
    wrap: () => pricing((usage, call) => [isStream(call) ? usage.completionTokens : tokensOf(usage), priceOf(call)]),
  },
  'stream-is-free-unless-it-counts': {
    about: 'A stream is metered only where it shows its usage, which a client has to ask for.',
    breaks: ['billing.stream-as-reply', 'billing.abort-is-charged'],
    wrap: () => charging((cost, _, call) => (isStream(call) && call.body?.includeUsage === false ? free : cost)),
  },
  'one-price-for-all': {
    about: 'Every model is charged at the price of the first.',
    breaks: ['billing.each-model-at-its-price'],
    wrap: () => pricing((usage) => [tokensOf(usage), 0.1]),
  },
  'large-model-at-another-price': {
    about: 'One model costs a sixth more than the list says.',
    breaks: ['billing.each-model-at-its-price'],
    wrap: () => pricing((usage, call) => [tokensOf(usage), priceOf(call) === 0.6 ? 0.5 : priceOf(call)]),
  },
  'long-prompt-is-capped': {
    about: 'Prompt tokens are charged up to 256.',
    breaks: ['billing.reply-charged'],
    wrap: () =>
      pricing(({ promptTokens, completionTokens }, call) => [
        Math.min(256, promptTokens) + completionTokens,
        priceOf(call),
      ]),
  },
  'charge-rounds-to-a-cent-of-a-cent': {
    about: 'Charges are rounded down to a ten-thousandth of a dollar.',
    breaks: ['billing.reply-charged'],
    wrap: () => charging((cost) => (cost - (cost % 100_000_000n)) as PicoUsd),
  },
  'short-reply-is-free': {
    about: 'A reply of one token costs nothing.',
    breaks: ['billing.reply-charged'],
    wrap: () => charging((cost, { completionTokens }) => (completionTokens <= 1 ? free : cost)),
  },
  'limit-is-charged': {
    about: 'What max_tokens allows is charged, not what was generated.',
    breaks: ['billing.reply-charged'],
    wrap: () =>
      pricing(({ promptTokens, completionTokens }, call) => [
        promptTokens + limitOf(call, completionTokens),
        priceOf(call),
      ]),
  },
  'stream-charges-limit': {
    about: 'A stream is charged what max_tokens allows.',
    breaks: ['billing.stream-charged'],
    wrap: () =>
      pricing(({ promptTokens, completionTokens }, call) => [
        promptTokens + (isStream(call) ? limitOf(call, completionTokens) : completionTokens),
        priceOf(call),
      ]),
  },
  'conversation-charged-by-last-message': {
    about: 'Of a conversation with a system message the system message is not charged.',
    breaks: ['billing.reply-charged'],
    wrap: () =>
      charging((cost, _, call) =>
        call.body?.messages.some(({ role }) => role === 'system') === true ? ((cost / 2n) as PicoUsd) : cost,
      ),
  },
  'reply-charged-twice': {
    about: 'Every reply is charged twice.',
    breaks: ['billing.reply-charged', 'key.usage-is-counted'],
    wrap: () => chargingAgain((call) => !isStream(call)),
  },
  'stream-charged-twice': {
    about: 'A stream is charged when it ends and again when its connection is free.',
    breaks: ['billing.stream-charged', 'key.usage-counts-streams', 'billing.one-charge-a-request'],
    wrap: () => chargingAgain(isStream),
  },
  'charged-twice-a-moment-later': {
    about: 'The second charge of a reply comes a moment behind the first.',
    breaks: ['billing.reply-charged'],
    wrap: () =>
      withLedger((ledger) => ({
        charge: (real) => async (held, cost, usage, call) => {
          await real(held, cost, usage, call)
          if (!isStream(call)) later(30, () => pay(ledger, cost, usage, call))
        },
      })),
  },
  'charged-in-two-halves': {
    about: 'A request is charged in two entries whose sum is right.',
    breaks: ['billing.one-charge-a-request', 'key.usage-is-counted'],
    wrap: () =>
      withLedger((ledger) => ({
        charge: (real) => async (held, cost, usage, call) => {
          const half = (cost / 2n) as PicoUsd
          await real(held, half, usage, call)
          await pay(ledger, (cost - half) as PicoUsd, { promptTokens: 0, completionTokens: 0 }, call)
        },
      })),
  },
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
          later(180, () => pay(ledger, half, usage, call))
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
    wrap: () =>
      withLedger((ledger) => ({
        hold: (real) => async (most, caller, call) => {
          const look = await real(most, caller, call)
          await ledger.release(look, call)
          return look
        },
        charge: () => (_, cost, usage, call) => pay(ledger, cost, usage, call),
        generate: (real) =>
          async function* (node, job, signal, call) {
            await setTimeout(5)
            return yield* real(node, job, signal, call)
          },
      })),
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
