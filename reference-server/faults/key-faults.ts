import { setTimeout } from 'node:timers/promises'
import { unauthorized } from '../gateway/gateway-error.ts'
import type { Call, Seams, Wrap } from '../gateway/seams.ts'
import type { KeyRecord, KeyUsage } from '../store/store.ts'
import type { Fault } from './fault.ts'
import { isStream, refusal, slowly } from './tools.ts'

/** Remembers deleted keys and accepts them again for the calls that `accepts` names. */
function remembering(accepts: (call: Call, sinceMs: number, key: KeyRecord) => boolean): Wrap {
  const seen = new Map<string, KeyRecord>()
  const deletedAtMs = new Map<string, number>()
  return {
    findKey: (real) => (presented, call) => {
      const key = real(presented, call)
      if (key !== undefined) {
        seen.set(presented, key)
        return key
      }
      const old = seen.get(presented)
      const atMs = deletedAtMs.get(old?.id ?? '')
      return old !== undefined && atMs !== undefined && accepts(call, performance.now() - atMs, old) ? old : undefined
    },
    deleteKey: (real) => async (keyId) => {
      const isDeleted = await real(keyId)
      deletedAtMs.set(keyId, performance.now())
      return isDeleted
    },
  }
}

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

/** Tells the connections apart that were used before a moment. */
function usedBefore(): (call: Call) => boolean {
  const sockets = new WeakSet<object>()
  return ({ request }) => {
    const isKnown = sockets.has(request.socket)
    sockets.add(request.socket)
    return isKnown
  }
}

/** Faults of keys: their values, their deletion, their limits and their usage. */
export const keyFaults = {
  'key-without-prefix': {
    about: 'New keys are a bare random text.',
    breaks: ['key.prefix'],
    wrap: () => renamingKeys((key) => key.slice(key.lastIndexOf('-') + 1)),
  },
  'key-with-other-prefix': {
    about: 'New keys begin with pk instead of sk.',
    breaks: ['key.prefix'],
    wrap: () => renamingKeys((key) => `pk${key.slice(2)}`),
  },
  'key-prefix-upper-case': {
    about: "The service's name stands in capitals in new keys.",
    breaks: ['key.prefix'],
    wrap: () => renamingKeys((key) => key.replace(/^sk-[a-z0-9]+/, (prefix) => `sk-${prefix.slice(3).toUpperCase()}`)),
  },
  'new-key-refused-at-first': {
    about: 'The first request with a new key is refused.',
    breaks: ['key.works-at-once', 'account.free-credit'],
    wrap: () => {
      const known = new Set<string>()
      return {
        createKey: (real) => async (accountId, terms) => {
          const made = await real(accountId, terms)
          if (made !== undefined) known.add(made.record.id)
          return made
        },
        findKey: (real) => (presented, call) => {
          const key = real(presented, call)
          return key !== undefined && known.delete(key.id) ? undefined : key
        },
      }
    },
  },
  'second-new-key-refused': {
    about: 'An account may have one key; a later one is shown and never works.',
    breaks: ['key.works-at-once'],
    wrap: () => {
      const first = new Map<string, string>()
      return {
        createKey: (real) => async (accountId, terms) => {
          const made = await real(accountId, terms)
          if (made !== undefined && !first.has(accountId)) first.set(accountId, made.record.id)
          return made
        },
        findKey: (real) => (presented, call) => {
          const key = real(presented, call)
          const known = first.get(key?.accountId ?? '')
          return known === undefined || known === key?.id ? key : undefined
        },
      }
    },
  },
  'deleted-key-works-for-a-while': {
    about: 'A deleted key works until a cache forgets it.',
    breaks: ['key.deleted-is-refused-at-once'],
    wrap: () => remembering((_, sinceMs) => sinceMs < 1000),
  },
  'deleted-key-works-for-ever': {
    about: 'Deleting a key changes nothing but the list of keys.',
    breaks: ['key.deleted-is-refused-at-once'],
    wrap: () => remembering(() => true),
  },
  'deleted-key-works-in-streams': {
    about: 'A deleted key goes on to work for streams.',
    breaks: ['key.deleted-is-refused-at-once'],
    wrap: () => {
      const wrap = remembering(() => true)
      const dead = new WeakSet<Call>()
      return {
        ...wrap,
        findKey: (real) => (presented, call) => {
          const live = real(presented, call)
          const key = wrap.findKey?.(real)(presented, call)
          if (live === undefined && key !== undefined) dead.add(call)
          return key
        },
        validate: (real) => (value, call) => {
          const request = real(value, call)
          if (dead.has(call) && !request.stream) throw unauthorized()
          return request
        },
      }
    },
  },
  'deleted-key-works-on-kept-connections': {
    about: 'A deleted key goes on to work on connections that used it before.',
    breaks: ['key.deleted-is-refused-at-once'],
    wrap: () => {
      const isKept = usedBefore()
      return {
        ...remembering((call) => isKept(call)),
        serve: (real) => (call) => {
          isKept(call)
          return real(call)
        },
      }
    },
  },
  'deleted-key-lists-models': {
    about: 'Every other request with a deleted key still works, as if one of two replicas had not heard of it.',
    breaks: ['key.deleted-is-refused-at-once'],
    wrap: () => remembering(({ number }) => number % 2 === 0),
  },
  'one-of-many-deletions-lost': {
    about: 'Of deletions of one account at the same moment the first alone takes effect.',
    breaks: ['key.many-deleted-at-once'],
    wrap: () => {
      const accounts = new Map<string, string>()
      const busy = new Set<string>()
      return {
        createKey: (real) => async (accountId, terms) => {
          const made = await real(accountId, terms)
          if (made !== undefined) accounts.set(made.record.id, accountId)
          return made
        },
        deleteKey: (real) => async (keyId) => {
          const account = accounts.get(keyId) ?? ''
          if (busy.has(account)) return true
          busy.add(account)
          await setTimeout(20)
          busy.delete(account)
          return real(keyId)
        },
      }
    },
  },
  'deletion-takes-all-keys': {
    about: 'Deleting a key deletes all keys of its account.',
    breaks: ['key.deletion-spares-the-others'],
    wrap: () => {
      const accounts = new Map<string, string>()
      const closed = new Set<string>()
      return {
        findKey: (real) => (presented, call) => {
          const key = real(presented, call)
          if (key === undefined || closed.has(key.accountId)) return undefined
          accounts.set(key.id, key.accountId)
          return key
        },
        deleteKey: (real) => async (keyId) => {
          const isDeleted = await real(keyId)
          const account = accounts.get(keyId)
          if (account !== undefined) closed.add(account)
          return isDeleted
        },
      }
    },
  },
  'deleted-key-revived-by-its-charge': {
    about: 'The charge of a stream writes the record of its key back.',
    breaks: ['key.deleted-stays-deleted'],
    wrap: () => {
      const revived = new Set<string>()
      const deleted = new Set<string>()
      const wrap = remembering((_call, _ms, { id }) => revived.has(id))
      return {
        ...wrap,
        ...slowly,
        deleteKey: (real) => async (keyId) => {
          deleted.add(keyId)
          return wrap.deleteKey?.(real)(keyId) ?? false
        },
        charge: (real) => async (held, cost, usage, call) => {
          await real(held, cost, usage, call)
          const id = call.caller?.key.id ?? ''
          if (deleted.has(id)) revived.add(id)
        },
      }
    },
  },
  'fresh-key-compared-by-its-beginning': {
    about: 'Of a key the first forty letters count.',
    breaks: ['key.near-miss-of-a-fresh-key-refused'],
    wrap: () => {
      const known = new Map<string, string>()
      return {
        createKey: (real) => async (accountId, terms) => {
          const made = await real(accountId, terms)
          if (made !== undefined) known.set(made.key.slice(0, 40), made.key)
          return made
        },
        findKey: (real) => (presented, call) => real(known.get(presented.slice(0, 40)) ?? presented, call),
      }
    },
  },
  'key-shown-in-header': {
    about: 'Answers repeat the key in a header.',
    breaks: ['key.shown-once'],
    wrap: () => ({
      replyHead: (real) => (call) => {
        const { status, headers } = real(call)
        const isOwn = call.caller?.key.name.startsWith('assay ') === true
        return isOwn
          ? { status, headers: { ...headers, 'x-key': call.request.headers.authorization ?? '' } }
          : { status, headers }
      },
    }),
  },
  'key-shown-in-refusal': {
    about: 'The refusal of a bad request names the key of a paying account.',
    breaks: ['key.shown-once'],
    wrap: () => ({
      errorAnswer: (real) => (error, call) => {
        const answer = real(error, call)
        const isOwn = call.caller?.key.name.startsWith('assay ') === true
        return isOwn && error.status === 400
          ? { ...answer, body: { error: { message: call.request.headers.authorization } } }
          : answer
      },
    }),
  },
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
    breaks: ['key.limit-holds', 'key.limit-counts-streams'],
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
} as const satisfies Record<string, Fault>

/** Gives new keys another form, and knows them by it. */
function renamingKeys(rename: (key: string) => string): Wrap {
  const honest = new Map<string, string>()
  const createKey: NonNullable<Wrap['createKey']> = (real) => async (accountId, terms) => {
    const made: Awaited<ReturnType<Seams['createKey']>> = await real(accountId, terms)
    if (made === undefined) return made
    const key = rename(made.key)
    honest.set(key, made.key)
    return { ...made, key }
  }
  return { createKey, findKey: (real) => (presented, call) => real(honest.get(presented) ?? presented, call) }
}
