import { setTimeout } from 'node:timers/promises'
import { unauthorized } from '../gateway/gateway-error.ts'
import type { Call, Seams, Wrap } from '../gateway/seams.ts'
import type { KeyRecord } from '../store/store.ts'
import type { Fault } from './fault.ts'
import { slowly } from './tools.ts'

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

/** Tells the connections apart that were used before a moment. */
function usedBefore(): (call: Call) => boolean {
  const sockets = new WeakSet<object>()
  return ({ request }) => {
    const isKnown = sockets.has(request.socket)
    sockets.add(request.socket)
    return isKnown
  }
}

/** Faults of the values of keys and of their deletion. */
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
