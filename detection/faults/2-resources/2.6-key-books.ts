import type { Call, Usage, Wrap } from '../../../reference-server/gateway/seams.ts'
import type { PicoUsd } from '../../../reference-server/ledger/money.ts'
import type { Entry, KeyUsage } from '../../../reference-server/store/store.ts'
import { isStream, slowly } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

const CENT = 10_000_000_000n

interface Left {
  requests: number
  promptTokens: number
  completionTokens: number
  usd: bigint
}

/** Gateways that the checks of `suites/2-resources/2.6-key-books.ts` must notice. */
export const keyBooksFaults = {
  'usage-streams-cost-nothing': {
    about: 'The cost that a key shows leaves out streams.',
    breaks: ['key.usage-is-what-was-charged'],
    wrap: () => leavingOut(isStream, (usd) => ({ usd })),
  },
  'usage-in-cents': {
    about: 'The cost that a key shows is rounded down to whole cents.',
    breaks: ['key.usage-is-what-was-charged'],
    wrap: () => ({
      keyUsage: (real) => async (keyId) => {
        const usage = await real(keyId)
        return usage && { ...usage, usd: ((usage.usd / CENT) * CENT) as typeof usage.usd }
      },
    }),
  },
  'usage-without-left-streams': {
    about: "A stream that its client left is charged but missing from its key's usage.",
    breaks: ['key.usage-is-what-was-charged'],
    wrap: () => ({
      ...slowly,
      ...leavingOut(
        ({ left }) => left.aborted,
        (usd, usage) => ({ usd, requests: 1, ...usage }),
      ),
    }),
  },
  'usage-without-stopped-tokens': {
    about: "A key's usage leaves out the tokens of requests with stop sequences.",
    breaks: ['key.usage-is-what-was-charged'],
    wrap: () =>
      leavingOut(
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

/** Leaves parts of some requests out of the usage of their keys. */
function leavingOut(when: (call: Call) => boolean, part: (cost: PicoUsd, usage: Usage) => Partial<Left>): Wrap {
  const left = new Map<string, Left>()
  return {
    charge: (real) => async (hold, cost, usage, call) => {
      await real(hold, cost, usage, call)
      if (!when(call)) return
      const id = call.caller?.key.id ?? ''
      const { requests = 0, promptTokens = 0, completionTokens = 0, usd = 0n } = part(cost, usage)
      const sum = left.get(id) ?? { requests: 0, promptTokens: 0, completionTokens: 0, usd: 0n }
      left.set(id, {
        requests: sum.requests + requests,
        promptTokens: sum.promptTokens + promptTokens,
        completionTokens: sum.completionTokens + completionTokens,
        usd: sum.usd + usd,
      })
    },
    keyUsage: (real) => async (keyId) => {
      const usage = await real(keyId)
      const less = left.get(keyId)
      if (usage === undefined || less === undefined) return usage
      return {
        ...usage,
        requests: usage.requests - less.requests,
        promptTokens: usage.promptTokens - less.promptTokens,
        completionTokens: usage.completionTokens - less.completionTokens,
        usd: (usage.usd - less.usd) as KeyUsage['usd'],
      }
    },
  }
}

/** Shows the charges of an account in another way. */
function showingCharges(change: (charge: Entry, charges: readonly Entry[]) => Entry): Wrap {
  return {
    entries: (real) => async (accountId, after, limit) => {
      const entries = await real(accountId, after, limit)
      const charges = entries.filter(({ kind }) => kind === 'charge')
      return entries.map((entry) => (entry.kind === 'charge' ? change(entry, charges) : entry))
    },
  }
}
