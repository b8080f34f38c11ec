import type { Call, Usage, Wrap } from '../gateway/seams.ts'
import type { PicoUsd } from '../ledger/money.ts'
import type { Entry, KeyUsage } from '../store/store.ts'
import type { Fault } from './fault.ts'
import { isStream, refusal, slowly } from './tools.ts'

const CENT = 10_000_000_000n

interface Left {
  requests: number
  promptTokens: number
  completionTokens: number
  usd: bigint
}

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

/** Faults in what keys and entries show of requests that were charged rightly. */
export const keyBookFaults = {
  'usage-streams-cost-nothing': {
    about: 'The cost that a key shows leaves streams out.',
    breaks: ['key.usage-is-what-was-charged'],
    wrap: () => leavingOut(isStream, (usd) => ({ usd })),
  },
  'usage-in-cents': {
    about: 'The cost that a key shows is cut to whole cents.',
    breaks: ['key.usage-is-what-was-charged'],
    wrap: () => ({
      keyUsage: (real) => async (keyId) => {
        const usage = await real(keyId)
        return usage && { ...usage, usd: ((usage.usd / CENT) * CENT) as typeof usage.usd }
      },
    }),
  },
  'usage-without-left-streams': {
    about: 'A stream that its client left is charged and is no use of its key.',
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
    about: 'Tokens of requests with stop sequences are missing in the usage of a key.',
    breaks: ['key.usage-is-what-was-charged'],
    wrap: () =>
      leavingOut(
        ({ body }) => (body?.stop ?? []).length > 0,
        (_, usage) => usage,
      ),
  },
  'usage-reset-by-a-deletion': {
    about: 'Deleting a key sets the usage of all keys to nothing.',
    breaks: ['key.deletion-spares-the-others'],
    wrap: () => {
      const before = new Map<string, KeyUsage>()
      const shown = new Map<string, KeyUsage>()
      return {
        deleteKey: (real) => (keyId) => {
          for (const [id, usage] of shown) before.set(id, usage)
          return real(keyId)
        },
        keyUsage: (real) => async (keyId) => {
          const usage = await real(keyId)
          if (usage === undefined) return usage
          shown.set(keyId, usage)
          const less = before.get(keyId)
          return less === undefined ? usage : { ...usage, requests: usage.requests - less.requests }
        },
      }
    },
  },
  'entries-of-the-first-key': {
    about: 'Every entry of an account names the key of its first one.',
    breaks: ['billing.entries-say-what-for'],
    wrap: () => showingCharges((charge, [first]) => ({ ...charge, keyId: first?.keyId ?? '' })),
  },
  'entries-of-the-last-model': {
    about: 'Every entry of an account names the model of its last one.',
    breaks: ['billing.entries-say-what-for'],
    wrap: () => showingCharges((charge, charges) => ({ ...charge, model: charges.at(-1)?.model ?? '' })),
  },
  'entries-swap-their-counts': {
    about: 'Entries name prompt tokens for completion tokens and the other way round.',
    breaks: ['billing.entries-say-what-for', 'key.usage-is-what-was-charged'],
    wrap: () =>
      showingCharges(({ promptTokens = 0, completionTokens = 0, ...charge }) => ({
        ...charge,
        promptTokens: completionTokens,
        completionTokens: promptTokens,
      })),
  },
  'deleted-key-pays-nothing': {
    about: 'A stream whose key is deleted on the way ends whole and costs nothing.',
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
  'unused-key-can-not-be-deleted': {
    about: 'Deleting a key that was never used does nothing.',
    breaks: ['key.deleted-unused-is-refused'],
    wrap: () => {
      const used = new Set<string>()
      return {
        authenticate: (real) => (call) => {
          const caller = real(call)
          used.add(caller.key.id)
          return caller
        },
        deleteKey: (real) => async (keyId) => (used.has(keyId) ? real(keyId) : true),
      }
    },
  },
  'foreign-key-names-crash': {
    about: 'A key whose name is not ASCII crashes the logger of requests.',
    breaks: ['key.any-name-works'],
    wrap: () => ({
      authenticate: (real) => (call) => {
        const caller = real(call)
        if (/[^ -~]/.test(caller.key.name)) throw refusal(500)
        return caller
      },
    }),
  },
  'limited-keys-have-another-prefix': {
    about: 'Keys with limits begin with another prefix than the others.',
    breaks: ['key.prefix'],
    wrap: () => ({
      findKey: (real) => (presented, call) => real(presented.replace(/^rl-/, 'sk-'), call),
      createKey: (real) => async (accountId, terms) => {
        const made = await real(accountId, terms)
        const isLimited = terms.requestsPerMinute !== undefined || terms.tokensPerMinute !== undefined
        return made && isLimited ? { ...made, key: made.key.replace(/^sk-/, 'rl-') } : made
      },
    }),
  },
} as const satisfies Record<string, Fault>
