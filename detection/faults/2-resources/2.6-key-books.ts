import type { Wrap } from '../../../reference-server/gateway/seams.ts'
import type { PicoUsd } from '../../../reference-server/ledger/money.ts'
import type { Entry } from '../../../reference-server/store/store.ts'
import { isStream, slowStreams } from '../../wraps/stream.ts'
import { leavingOutOfUsage, showingUsage } from '../../wraps/usage.ts'
import type { Fault } from '../fault.ts'

/** In pico-dollars. */
const cent = 10_000_000_000n

/** Gateways that the checks of `suites/2-resources/2.6-key-books.ts` must notice. */
export const keyBooksFaults = {
  'usage-streams-cost-nothing': {
    about: 'The cost that a key shows leaves out streams.',
    breaks: ['key.usage-is-what-was-charged'],
    wrap: () => leavingOutOfUsage(isStream, (usd) => ({ usd })),
  },
  'usage-in-cents': {
    about: 'The cost that a key shows is rounded down to whole cents.',
    breaks: ['key.usage-is-what-was-charged'],
    wrap: () => showingUsage((usage) => ({ ...usage, usd: ((usage.usd / cent) * cent) as PicoUsd })),
  },
  'usage-without-left-streams': {
    about: "A stream that its client left is charged but missing from its key's usage.",
    breaks: ['key.usage-is-what-was-charged'],
    wrap: () => ({
      ...slowStreams,
      ...leavingOutOfUsage(
        ({ left }) => left.aborted,
        (usd, usage) => ({ usd, requests: 1, ...usage }),
      ),
    }),
  },
  'usage-without-stopped-tokens': {
    about: "A key's usage leaves out the tokens of requests with stop sequences.",
    breaks: ['key.usage-is-what-was-charged'],
    wrap: () =>
      leavingOutOfUsage(
        ({ body }) => (body?.stop ?? []).length > 0,
        (_, usage) => usage,
      ),
  },
  'entries-of-the-first-key': {
    about: 'Every entry of an account names the key of its first entry.',
    breaks: ['billing.entries-say-what-for'],
    wrap: () => showingCharges((charge, [first]) => ({ ...charge, keyId: first?.keyId ?? '' })),
  },
  'entries-of-the-last-model': {
    about: 'Every entry of an account names the model of its last entry.',
    breaks: ['billing.entries-say-what-for'],
    wrap: () => showingCharges((charge, charges) => ({ ...charge, model: charges.at(-1)?.model ?? '' })),
  },
  'entries-swap-their-counts': {
    about: 'Entries swap prompt tokens and completion tokens.',
    breaks: ['billing.entries-say-what-for', 'key.usage-is-what-was-charged'],
    wrap: () =>
      showingCharges(({ promptTokens = 0, completionTokens = 0, ...charge }) => ({
        ...charge,
        promptTokens: completionTokens,
        completionTokens: promptTokens,
      })),
  },
} as const satisfies Record<string, Fault>

/** Shows the charges of an account differently. */
function showingCharges(change: (charge: Entry, charges: readonly Entry[]) => Entry): Wrap {
  return {
    entries: (real) => async (accountId, after, limit) => {
      const entries = await real(accountId, after, limit)
      const charges = entries.filter(({ kind }) => kind === 'charge')
      return entries.map((entry) => (entry.kind === 'charge' ? change(entry, charges) : entry))
    },
  }
}
