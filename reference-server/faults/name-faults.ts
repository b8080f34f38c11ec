import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, Caller, Seams, Wrap } from '../gateway/seams.ts'
import type { PicoUsd } from '../ledger/money.ts'
import type { KeyRecord } from '../store/store.ts'
import type { Fault } from './fault.ts'

/** How long requests that could be confused wait for each other. */
const meetingMs = 200

type Made = NonNullable<Awaited<ReturnType<Seams['createKey']>>>

/** Keeps the records of the keys that were made, for faults that go by their names. */
function knowingKeys(use: (made: ReadonlyMap<string, KeyRecord>) => Wrap): Wrap {
  const made = new Map<string, KeyRecord>()
  return {
    ...use(made),
    createKey: (real) => async (accountId, terms) => {
      const key = await real(accountId, terms)
      if (key !== undefined) made.set(key.record.id, key.record)
      return key
    },
  }
}

function namesakesOf(made: ReadonlyMap<string, KeyRecord>, keyId: string): readonly KeyRecord[] {
  const own = made.get(keyId)
  return [...made.values()].filter(
    ({ id, name, accountId }) => id !== keyId && name === own?.name && accountId === own.accountId,
  )
}

/** Faults of keys that are taken for others: by their names, by their beginning, by their number, by their time. */
export const nameFaults = {
  'deletion-takes-namesakes': {
    about: 'A deletion takes all keys of that name in the account.',
    breaks: ['key.namesakes-are-two'],
    wrap: () =>
      knowingKeys((made) => ({
        deleteKey: (real) => async (keyId) => {
          const isDeleted = await real(keyId)
          for (const { id } of namesakesOf(made, keyId)) await real(id)
          return isDeleted
        },
      })),
  },
  'same-name-same-key': {
    about: 'Who makes a key of a name that there is gets the old one once more.',
    breaks: ['key.namesakes-are-two'],
    wrap: () => {
      const made = new Map<string, Made>()
      return {
        createKey: (real) => async (accountId, terms) => {
          const slot = `${accountId} ${terms.name}`
          const key = made.get(slot) ?? (await real(accountId, terms))
          if (key !== undefined) made.set(slot, key)
          return key
        },
      }
    },
  },
  'usage-by-name': {
    about: 'Keys of one name in an account show their usage together.',
    breaks: ['key.namesakes-are-two'],
    wrap: () =>
      knowingKeys((made) => ({
        keyUsage: (real) => async (keyId) => {
          const own = await real(keyId)
          if (own === undefined) return own
          const others = await Promise.all(namesakesOf(made, keyId).map(({ id }) => real(id)))
          return others.reduce(
            (sum, one) => ({
              requests: (sum?.requests ?? 0) + (one?.requests ?? 0),
              promptTokens: (sum?.promptTokens ?? 0) + (one?.promptTokens ?? 0),
              completionTokens: (sum?.completionTokens ?? 0) + (one?.completionTokens ?? 0),
              usd: ((sum?.usd ?? 0n) + (one?.usd ?? 0n)) as PicoUsd,
            }),
            own,
          )
        },
      })),
  },
  'limits-by-name': {
    about: 'Keys of one name share one limit, whosever they are.',
    breaks: ['key.limit-is-not-its-name'],
    wrap: () => ({
      reserve: (real) => (caller, tokensMost, call) =>
        real({ key: { ...caller.key, id: `name ${caller.key.name}` } }, tokensMost, call),
    }),
  },
  'key-may-have-a-tail': {
    about: 'Whatever stands behind a key and one more dash is taken for an option.',
    breaks: ['auth.near-miss-refused'],
    wrap: () => ({
      findKey: (real) => (presented, call) =>
        real(presented, call) ?? real(presented.slice(0, Math.max(0, presented.lastIndexOf('-'))), call),
    }),
  },
  'fifth-key-ends-the-first': {
    about: 'An account holds four keys: the next one ends the oldest in silence.',
    breaks: ['key.works-at-once'],
    follows: ['key.many-deleted-at-once'],
    wrap: () => {
      const made = new Map<string, readonly string[]>()
      let end: Seams['deleteKey'] = async () => false
      return {
        deleteKey(real) {
          end = real
          return real
        },
        createKey: (real) => async (accountId, terms) => {
          const key = await real(accountId, terms)
          if (key === undefined) return key
          const ids = [...(made.get(accountId) ?? []), key.record.id]
          if (ids.length > 4) await end(ids[0] ?? '')
          made.set(accountId, ids.slice(-4))
          return key
        },
      }
    },
  },
  'usage-on-the-latest-key': {
    about: 'Where more than ten requests come together, usage is booked on the key that came last.',
    breaks: ['key.usage-is-not-crossed'],
    wrap: () => {
      const crowded = new WeakSet<Call>()
      const inFlight = new Set<Call>()
      let latest: Caller | undefined
      return {
        authenticate: (real) => (call) => {
          latest = real(call)
          return latest
        },
        generate: (real) =>
          async function* (node, job, signal, call) {
            if (job.tokensMax !== 7) return yield* real(node, job, signal, call)
            inFlight.add(call)
            try {
              await sleep(meetingMs)
              if (inFlight.size > 10) for (const one of inFlight) crowded.add(one)
              return yield* real(node, job, signal, call)
            } finally {
              inFlight.delete(call)
            }
          },
        charge: (real) => (hold, cost, usage, call) =>
          real(hold, cost, usage, latest !== undefined && crowded.has(call) ? { ...call, caller: latest } : call),
      }
    },
  },
  'failures-refill-the-limit': {
    about: 'A request that comes to nothing gives back to the limit of its key twice what it took.',
    breaks: ['key.failures-refill-no-limit'],
    wrap: () => ({
      giveBack: (real) => (reservation, call) => {
        real(reservation, call)
        real(reservation, call)
      },
    }),
  },
  'address-of-the-host-needs-no-key': {
    about: 'Whoever says to be forwarded from the host itself needs no key.',
    breaks: ['auth.wrong-key-refused'],
    wrap: () => {
      let latest: Caller | undefined
      return {
        authenticate: (real) => (call) => {
          const isHome = call.request.headers['x-forwarded-for'] === '127.0.0.1'
          if (isHome && latest !== undefined) return latest
          latest = real(call)
          return latest
        },
      }
    },
  },
} as const satisfies Record<string, Fault>
