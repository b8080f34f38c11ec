import { setTimeout } from 'node:timers/promises'
import type { Call } from '../../../reference-server/gateway/seams.ts'
import type { KeyRecord } from '../../../reference-server/store/store.ts'
import { limitingAs } from '../../wraps/key.ts'
import { refusal } from '../../wraps/request.ts'
import { isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.6-key-limits.ts` must notice. */
export const keyLimitsFaults = {
  'limit-in-fifteen-bits': {
    about: 'A limit too large for fifteen bits lets nothing through.',
    breaks: ['key.limit-is-not-early'],
    wrap: () => ({
      reserve: (real) => (caller, tokens, call) => {
        if ((caller.key.requestsPerMinute ?? 0) > 32_767) throw refusal(429)
        return real(caller, tokens, call)
      },
    }),
  },
  'limit-of-one-is-none-left': {
    about: 'A limit of n requests lets only n - 1 through.',
    breaks: ['key.limit-is-not-early'],
    follows: ['key.limit-holds'],
    wrap: () => ({
      reserve: (real) => (caller, tokens, call) => {
        if (caller.key.requestsPerMinute === 1) throw refusal(429)
        return real(caller, tokens, call)
      },
    }),
  },
  'limit-of-the-first-key': {
    about: 'A key without limits gets those of the first key that its account used.',
    breaks: ['key.limit-is-its-own'],
    wrap: () => {
      const first = new Map<string, KeyRecord>()
      return limitingAs((key) => {
        if (!first.has(key.accountId)) first.set(key.accountId, key)
        const { requestsPerMinute } = first.get(key.accountId) ?? key
        const isLent = key.requestsPerMinute === undefined && requestsPerMinute !== undefined
        return isLent ? { ...key, id: `${key.id} lent`, requestsPerMinute } : key
      })
    },
  },
  'limited-keys-share-a-count': {
    about: 'The limited keys of an account count against the limit of the first of them.',
    breaks: ['key.limits-are-apart'],
    wrap: () => limitingAs((key) => (key.requestsPerMinute === undefined ? key : { ...key, id: key.accountId })),
  },
  'limits-by-name': {
    about: 'Keys of the same name share one limit, even across accounts.',
    breaks: ['key.limit-is-not-its-name'],
    wrap: () => limitingAs((key) => ({ ...key, id: `name ${key.name}` })),
  },
  'failures-refill-the-limit': {
    about: "A request that fails gives its key's limit back twice what it took.",
    breaks: ['key.failures-refill-no-limit'],
    wrap: () => ({
      giveBack: (real) => (reservation, call) => {
        real(reservation, call)
        real(reservation, call)
      },
    }),
  },
  'limit-of-the-account': {
    about: 'The keys of an account share the lowest of their limits.',
    breaks: ['key.limit-is-its-own'],
    wrap: () => {
      const lowest = new Map<string, KeyRecord>()
      return limitingAs((key) => {
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
    about: 'While one key is over its limit, the other keys of its account are refused too.',
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
    about: 'The limits of keys are shown but not enforced.',
    breaks: ['key.limit-is-its-own', 'key.token-limit-holds'],
    wrap: () => limitingAs((key) => (key.name.startsWith('assay ') ? withoutLimits(key) : key)),
  },
  'burst-passes-the-limit': {
    about: 'While one request of a key is in flight, its other requests do not count against the limit.',
    follows: ['key.limit-counts-streams'],
    breaks: ['key.limit-holds'],
    wrap: () => {
      const busy = new Map<string, Call>()
      return {
        ...limitingAs((key, call) => {
          const isFirst = !busy.has(key.id)
          if (isFirst) busy.set(key.id, call)
          return isFirst ? key : withoutLimits(key)
        }),
        serve: (real) => async (call) => {
          await real(call)
          // The next burst begins after this one.
          await setTimeout(5)
          for (const [id, first] of busy) if (first === call) busy.delete(id)
        },
      }
    },
  },
  'streams-pass-the-limit': {
    about: 'Streams do not count against the limits of a key.',
    breaks: ['key.limit-counts-streams'],
    follows: ['key.token-limit-counts-everything'],
    wrap: () => limitingAs((key, call) => (isStream(call) ? withoutLimits(key) : key)),
  },
  'modes-have-a-limit-each': {
    about: 'Streams and non-streamed replies are limited separately.',
    breaks: ['key.limit-counts-streams'],
    wrap: () => limitingAs((key, call) => (isStream(call) ? { ...key, id: `${key.id} streams` } : key)),
  },
  'token-limit-is-not-enforced': {
    about: 'The limit of tokens per minute is not enforced.',
    breaks: ['key.token-limit-holds'],
    wrap: () => limitingAs(({ tokensPerMinute: _, ...key }) => ({ ...key, id: `${key.id} requests` })),
  },
  'limit-comes-early': {
    about: 'A key is refused at a thousandth of its limit.',
    breaks: ['key.limit-is-not-early'],
    wrap: () =>
      limitingAs((key) => ({
        ...key,
        ...((key.requestsPerMinute ?? 0) > 1000 && { id: `${key.id} early`, requestsPerMinute: 3 }),
      })),
  },
} as const satisfies Record<string, Fault>

/** The key without limits; another id counts apart from the honest one. */
function withoutLimits({ requestsPerMinute: _, tokensPerMinute: __, ...key }: KeyRecord): KeyRecord {
  return { ...key, id: `${key.id} unlimited` }
}
