import { setTimeout } from 'node:timers/promises'
import { unauthorized } from '../../../reference-server/gateway/gateway-error.ts'
import type { Call, Wrap } from '../../../reference-server/gateway/seams.ts'
import type { KeyRecord, KeyUsage } from '../../../reference-server/store/store.ts'
import { noticingNewKeys } from '../../wraps/key.ts'
import { slowStreams } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/5-authentication/5-revocation.ts` must notice. */
export const revocationFaults = {
  'usage-reset-by-a-deletion': {
    about: 'Deleting a key resets the usage of all keys to zero.',
    breaks: ['key.deletion-spares-the-others'],
    // They meet it when another check deletes a key between their two looks.
    follows: ['key.renamed-stays-itself', 'key.usage-counts-streams'],
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
  'deleted-key-works-for-a-while': {
    about: 'A deleted key works until a cache expires.',
    breaks: ['key.deleted-is-refused-at-once'],
    wrap: () => rememberingDeletedKeys((_, sinceMs) => sinceMs < 1000),
  },
  'deleted-key-works-for-ever': {
    about: 'Deleting a key changes only the list of keys: it still works.',
    breaks: ['key.deleted-is-refused-at-once'],
    wrap: () => rememberingDeletedKeys(() => true),
  },
  'deleted-key-works-in-streams': {
    about: 'A deleted key still works for streams.',
    breaks: ['key.deleted-is-refused-at-once'],
    wrap: () => {
      const wrap = rememberingDeletedKeys(() => true)
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
    about: 'A deleted key still works on connections that used it before.',
    breaks: ['key.deleted-is-refused-at-once'],
    wrap: () => {
      const isKept = usedBefore()
      return {
        ...rememberingDeletedKeys((call) => isKept(call)),
        serve: (real) => (call) => {
          isKept(call)
          return real(call)
        },
      }
    },
  },
  'deleted-key-lists-models': {
    about: 'Every other request with a deleted key still works, as if one of two replicas had missed the deletion.',
    breaks: ['key.deleted-is-refused-at-once'],
    wrap: () => rememberingDeletedKeys(({ number }) => number % 2 === 0),
  },
  'one-of-many-deletions-lost': {
    about: 'When several keys of an account are deleted at the same moment, only the first deletion takes effect.',
    breaks: ['key.many-deleted-at-once'],
    wrap: () => {
      const accounts = new Map<string, string>()
      const busy = new Set<string>()
      return {
        createKey: noticingNewKeys(({ record }, accountId) => accounts.set(record.id, accountId)),
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
    about: 'The charge of a stream restores the record of its deleted key.',
    breaks: ['key.deleted-stays-deleted'],
    wrap: () => {
      const revived = new Set<string>()
      const deleted = new Set<string>()
      const wrap = rememberingDeletedKeys((_call, _ms, { id }) => revived.has(id))
      return {
        ...wrap,
        ...slowStreams,
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
    about: 'Only the first forty letters of a key are compared.',
    breaks: ['key.near-miss-of-a-fresh-key-refused'],
    wrap: () => {
      const known = new Map<string, string>()
      return {
        createKey: noticingNewKeys(({ key }) => known.set(key.slice(0, 40), key)),
        findKey: (real) => (presented, call) => real(known.get(presented.slice(0, 40)) ?? presented, call),
      }
    },
  },
} as const satisfies Record<string, Fault>

/** Remembers deleted keys and accepts them for the calls that `accepts` names. */
function rememberingDeletedKeys(accepts: (call: Call, sinceMs: number, key: KeyRecord) => boolean): Wrap {
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

/** Tells whether the connection of a call was used before, and remembers it. */
function usedBefore(): (call: Call) => boolean {
  const sockets = new WeakSet<object>()
  return ({ request }) => {
    const isKnown = sockets.has(request.socket)
    sockets.add(request.socket)
    return isKnown
  }
}
