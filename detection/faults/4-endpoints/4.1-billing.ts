import type { PicoUsd } from '../../../reference-server/ledger/money.ts'
import {
  charging,
  chargingAgain,
  free,
  hasLeft,
  later,
  leaking,
  limitOf,
  pay,
  payingForOthers,
  priceOf,
  pricing,
  tokensOf,
  withLedger,
} from '../../wraps/money.ts'
import { isStream, slowStreams } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-billing.ts` must notice. */
export const billingFaults = {
  'hold-leaks-on-abort': {
    about: 'Part of the money set aside for a stream is not released when the client leaves.',
    breaks: ['billing.nothing-stays-held'],
    wrap: () => ({ ...slowStreams, ...leaking(hasLeft, 'charge') }),
  },
  'hold-leaks-without-a-node': {
    about: 'Part of the money set aside for a request is not released when no node is found.',
    breaks: ['billing.nothing-stays-held'],
    wrap: () => leaking(() => true, 'release'),
  },
  'hold-leaks-in-streams': {
    about: 'Part of the money set aside for a stream is never released.',
    breaks: ['billing.nothing-stays-held'],
    wrap: () => leaking(isStream, 'charge'),
  },
  'first-account-pays': {
    about: 'Every request is charged to the account of the first caller.',
    breaks: ['billing.reply-charged', 'account.exhausted-is-refused', 'auth.unfunded-key-refused'],
    wrap: () => payingForOthers(() => true),
  },
  'second-key-is-free': {
    about: "Requests with any key but an account's first are charged to nobody.",
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
    about: 'Every tenth charge of an account is lost.',
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
    about: 'Credit added later has no entry.',
    breaks: ['billing.entries-are-the-balance'],
    wrap: () => ({
      entries:
        (real) =>
        async (...page) =>
          (await real(...page)).filter(({ kind, number }) => kind === 'charge' || number === 1),
    }),
  },
  'entries-of-dollars-rounded': {
    about: 'Entries show their amounts rounded down to a thousandth of a cent.',
    breaks: ['billing.entries-are-the-balance'],
    follows: ['key.usage-is-what-was-charged'],
    wrap: () => ({
      entries:
        (real) =>
        async (...page) =>
          (await real(...page)).map((entry) => ({ ...entry, usd: (entry.usd - (entry.usd % 10_000_000n)) as PicoUsd })),
    }),
  },
  'reply-is-free': {
    about: 'Non-streamed replies cost nothing.',
    breaks: ['billing.reply-charged'],
    wrap: () => charging((cost, _, call) => (isStream(call) ? cost : free)),
  },
  'stream-is-free': {
    about: 'Streams are metered as zero.',
    breaks: ['billing.stream-charged'],
    wrap: () => charging((cost, _, call) => (isStream(call) ? free : cost)),
  },
  'first-model-prices-the-key': {
    about: 'For every model, a key pays the price of the first model it used.',
    breaks: ['billing.each-model-at-its-price'],
    wrap: () => {
      const prices = new Map<string, number>()
      return pricing((usage, call) => {
        const key = call.caller?.key.id ?? ''
        const price = prices.get(key) ?? priceOf(call)
        prices.set(key, price)
        return [tokensOf(usage), price]
      })
    },
  },
  'prompt-is-free': {
    about: 'Prompt tokens are not charged.',
    breaks: ['billing.reply-charged'],
    wrap: () => pricing(({ completionTokens }, call) => [completionTokens, priceOf(call)]),
  },
  'completion-is-free': {
    about: 'Completion tokens are not charged.',
    breaks: ['billing.reply-charged'],
    wrap: () => pricing(({ promptTokens }, call) => [promptTokens, priceOf(call)]),
  },
  'stream-prompt-is-free': {
    about: 'Only the completion tokens of a stream are charged.',
    breaks: ['billing.stream-charged'],
    wrap: () => pricing((usage, call) => [isStream(call) ? usage.completionTokens : tokensOf(usage), priceOf(call)]),
  },
  'stream-is-free-unless-it-counts': {
    about: 'A stream is metered only if it shows its usage, which a client has to ask for.',
    breaks: ['billing.stream-as-reply', 'billing.abort-is-charged'],
    follows: ['billing.deleted-key-still-pays'],
    wrap: () => charging((cost, _, call) => (isStream(call) && call.body?.includeUsage === false ? free : cost)),
  },
  'one-price-for-all': {
    about: 'Every model is charged at the price of the first one.',
    breaks: ['billing.each-model-at-its-price'],
    wrap: () => pricing((usage) => [tokensOf(usage), 0.1]),
  },
  'large-model-at-another-price': {
    about: 'One model costs a sixth less than the list says.',
    breaks: ['billing.each-model-at-its-price'],
    wrap: () => pricing((usage, call) => [tokensOf(usage), priceOf(call) === 0.6 ? 0.5 : priceOf(call)]),
  },
  'long-prompt-is-capped': {
    about: 'Prompt tokens beyond 256 are not charged.',
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
    about: 'A one-token reply costs nothing.',
    breaks: ['billing.reply-charged'],
    wrap: () => charging((cost, { completionTokens }) => (completionTokens <= 1 ? free : cost)),
  },
  'limit-is-charged': {
    about: 'A request is charged what max_tokens allows, not what was generated.',
    breaks: ['billing.reply-charged'],
    wrap: () =>
      pricing(({ promptTokens, completionTokens }, call) => [
        promptTokens + limitOf(call, completionTokens),
        priceOf(call),
      ]),
  },
  'stream-charges-limit': {
    about: 'A stream is charged what max_tokens allows, not what was generated.',
    breaks: ['billing.stream-charged'],
    wrap: () =>
      pricing(({ promptTokens, completionTokens }, call) => [
        promptTokens + (isStream(call) ? limitOf(call, completionTokens) : completionTokens),
        priceOf(call),
      ]),
  },
  'conversation-charged-by-last-message': {
    about: 'In a conversation with a system message, the system message is not charged.',
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
    about: 'A reply is charged a second time a moment after the first.',
    follows: [
      'key.usage-is-counted',
      'key.usage-counts-streams',
      'key.usage-is-its-own',
      'key.usage-is-not-crossed',
      'key.namesakes-are-two',
    ],
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
    about: 'A request is charged in two entries, whose sum is right.',
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
  'stream-of-one-model-is-free': {
    about: 'Streams of one model cost nothing.',
    breaks: ['billing.each-model-at-its-price'],
    wrap: () => charging((cost, _, call) => (isStream(call) && call.model?.id === 'large' ? free : cost)),
  },
  'stop-makes-free': {
    about: 'Requests with stop sequences cost nothing.',
    breaks: ['billing.reply-charged'],
    wrap: () => charging((cost, _, { body }) => (body !== undefined && body.stop.length > 0 ? free : cost)),
  },
  'greedy-replies-are-free': {
    about: 'Requests at temperature 0 cost nothing, as if they came from a cache.',
    breaks: ['billing.reply-charged'],
    wrap: () => charging((cost, _, { body }) => (body?.temperature === 0 ? free : cost)),
  },
  'stopped-streams-cost-their-limit': {
    about: 'A stream with a stop sequence and a limit is charged as if it had reached the limit.',
    breaks: ['billing.stream-charged'],
    wrap: () =>
      pricing((usage, call) => {
        const isDear = isStream(call) && (call.body?.stop.length ?? 0) > 0 && call.body?.tokensMax !== undefined
        const tokens = isDear ? usage.promptTokens + limitOf(call, usage.completionTokens) : tokensOf(usage)
        return [tokens, priceOf(call)]
      }),
  },
  'streams-of-one-model-are-cheap': {
    about: 'Streams of one model are charged at the price of another.',
    breaks: ['billing.each-model-at-its-price'],
    wrap: () =>
      pricing((usage, call) => [tokensOf(usage), isStream(call) && call.model?.id === 'medium' ? 0.1 : priceOf(call)]),
  },
} as const satisfies Record<string, Fault>
