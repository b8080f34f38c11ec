import { setTimeout } from 'node:timers/promises'
import type { Call, Wrap } from '../gateway/seams.ts'
import type { KeyRecord, KeyUsage } from '../store/store.ts'
import type { Fault } from './fault.ts'
import { isStream, refusal } from './tools.ts'

/** Shows another usage of a key than it has. */
function showing(change: (usage: KeyUsage, keyId: string) => KeyUsage): Wrap {
  return {
    keyUsage: (real) => async (keyId) => {
      const usage = await real(keyId)
      return usage && change(usage, keyId)
    },
  }
}

/** Takes requests from the limits of another key, or of none. */
function limiting(keyOf: (key: KeyRecord, call: Call) => KeyRecord): Wrap {
  return {
    reserve: (real) => (caller, tokens, call) => real({ ...caller, key: keyOf(caller.key, call) }, tokens, call),
  }
}

const withoutLimits = ({ requestsPerMinute: _, tokensPerMinute: __, ...key }: KeyRecord): KeyRecord => ({
  ...key,
  id: `${key.id} unlimited`,
})

/** Faults of the limits and the usage of keys. */
export const quotaFaults = {
  'usage-without-requests': {
    about: 'The requests of a key are not counted.',
    breaks: ['key.usage-is-counted'],
    wrap: () => showing((usage) => ({ ...usage, requests: 0 })),
  },
  'usage-counts-twice': {
    about: 'Every request counts twice on its key.',
    breaks: ['key.usage-is-counted'],
    wrap: () => showing((usage) => ({ ...usage, requests: usage.requests * 2 })),
  },
  'usage-without-prompt': {
    about: 'Prompt tokens are missing in the usage of a key.',
    breaks: ['key.usage-is-counted'],
    wrap: () => showing((usage) => ({ ...usage, promptTokens: 0 })),
  },
  'usage-without-streams': {
    about: 'Streams do not count into the usage of a key.',
    breaks: ['key.usage-counts-streams'],
    wrap: () => {
      const streams = new Map<string, number>()
      return {
        charge: (real) => async (held, cost, usage, call) => {
          await real(held, cost, usage, call)
          const id = call.caller?.key.id ?? ''
          if (isStream(call)) streams.set(id, (streams.get(id) ?? 0) + 1)
        },
        ...showing((usage, keyId) => ({ ...usage, requests: usage.requests - (streams.get(keyId) ?? 0) })),
      }
    },
  },
  'usage-without-tokens-of-streams': {
    about: 'Streams count as requests of a key and not with their tokens.',
    breaks: ['key.usage-counts-streams'],
    wrap: () => {
      const tokens = new Map<string, number>()
      return {
        charge: (real) => async (held, cost, usage, call) => {
          await real(held, cost, usage, call)
          const id = call.caller?.key.id ?? ''
          if (isStream(call)) tokens.set(id, (tokens.get(id) ?? 0) + usage.completionTokens)
        },
        ...showing((usage, keyId) => ({
          ...usage,
          completionTokens: usage.completionTokens - (tokens.get(keyId) ?? 0),
        })),
      }
    },
  },
  'usage-on-every-key-of-the-account': {
    about: 'Usage is kept for an account and shown for each of its keys.',
    breaks: ['key.usage-is-its-own'],
    wrap: () => {
      const firstOf = new Map<string, string>()
      const keyOf = new Map<string, string>()
      return {
        createKey: (real) => async (accountId, terms) => {
          const made = await real(accountId, terms)
          if (made === undefined) return made
          if (!firstOf.has(accountId)) firstOf.set(accountId, made.record.id)
          keyOf.set(made.record.id, firstOf.get(accountId) ?? made.record.id)
          return made
        },
        keyUsage: (real) => (keyId) => real(keyOf.get(keyId) ?? keyId),
      }
    },
  },
  'refusals-are-usage': {
    about: 'Requests that are refused count into the usage of their key.',
    breaks: ['key.refusals-are-not-usage'],
    wrap: () => {
      const refused = new Map<string, number>()
      return {
        errorAnswer: (real) => (error, call) => {
          const id = call.caller?.key.id ?? ''
          if (error.status === 400) refused.set(id, (refused.get(id) ?? 0) + 1)
          return real(error, call)
        },
        ...showing((usage, keyId) => ({ ...usage, requests: usage.requests + (refused.get(keyId) ?? 0) })),
      }
    },
  },
  'limit-of-the-account': {
    about: 'The keys of an account share the lowest of their limits.',
    breaks: ['key.limit-is-its-own'],
    wrap: () => {
      const lowest = new Map<string, KeyRecord>()
      return limiting((key) => {
        const known = lowest.get(key.accountId)
        if (
          key.requestsPerMinute !== undefined &&
          key.requestsPerMinute < 100 &&
          known === undefined &&
          key.name.startsWith('assay ')
        )
          lowest.set(key.accountId, key)
        return lowest.get(key.accountId) ?? key
      })
    },
  },
  'given-limit-of-the-account': {
    about: 'While a key is over its limit, the other keys of its account are refused as well.',
    breaks: ['key.given-limit-is-its-own'],
    wrap: () => {
      const overAtMs = new Map<string, number>()
      return {
        reserve: (real) => async (caller, tokens, call) => {
          const { name, accountId } = caller.key
          const sinceMs = performance.now() - (overAtMs.get(accountId) ?? Number.NEGATIVE_INFINITY)
          if (name !== 'limited' && sinceMs < 600) throw refusal(429)
          try {
            return await real(caller, tokens, call)
          } catch (error) {
            if (name === 'limited') overAtMs.set(accountId, performance.now())
            throw error
          }
        },
      }
    },
  },
  'limit-is-not-enforced': {
    about: 'The limits of keys are shown and not enforced.',
    breaks: ['key.limit-is-its-own', 'key.token-limit-holds'],
    wrap: () => limiting((key) => (key.name.startsWith('assay ') ? withoutLimits(key) : key)),
  },
  'burst-passes-the-limit': {
    about: 'While one request of a key is on its way, others are not counted.',
    follows: ['key.limit-counts-streams'],
    breaks: ['key.limit-holds'],
    wrap: () => {
      const busy = new Map<string, Call>()
      return {
        ...limiting((key, call) => {
          const isFirst = !busy.has(key.id)
          if (isFirst) busy.set(key.id, call)
          return isFirst ? key : withoutLimits(key)
        }),
        serve: (real) => async (call) => {
          await real(call)
          // The next burst begins behind this one.
          await setTimeout(5)
          for (const [id, first] of busy) if (first === call) busy.delete(id)
        },
      }
    },
  },
  'streams-pass-the-limit': {
    about: 'Streams are not counted by the limits of a key.',
    breaks: ['key.limit-counts-streams'],
    follows: ['key.token-limit-counts-everything'],
    wrap: () => limiting((key, call) => (isStream(call) ? withoutLimits(key) : key)),
  },
  'modes-have-a-limit-each': {
    about: 'Streams and replies are limited apart.',
    breaks: ['key.limit-counts-streams'],
    wrap: () => limiting((key, call) => (isStream(call) ? { ...key, id: `${key.id} streams` } : key)),
  },
  'token-limit-is-not-enforced': {
    about: 'The limit of tokens a minute is not enforced.',
    breaks: ['key.token-limit-holds'],
    wrap: () => limiting(({ tokensPerMinute: _, ...key }) => ({ ...key, id: `${key.id} requests` })),
  },
  'limit-comes-early': {
    about: 'A key is refused at a thousandth of its limit.',
    breaks: ['key.limit-is-not-early'],
    wrap: () =>
      limiting((key) => ({
        ...key,
        ...((key.requestsPerMinute ?? 0) > 1000 && { id: `${key.id} early`, requestsPerMinute: 3 }),
      })),
  },
  'usage-without-one-model': {
    about: 'The tokens of one model are not counted on the key.',
    breaks: ['key.usage-is-counted'],
    follows: ['billing.entries-say-what-for'],
    wrap: () => ({
      charge: (real) => (hold, cost, usage, call) =>
        real(hold, cost, call.model?.id === 'medium' ? { promptTokens: 0, completionTokens: 0 } : usage, call),
    }),
  },
} as const satisfies Record<string, Fault>
