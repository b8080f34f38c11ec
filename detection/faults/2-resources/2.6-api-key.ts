import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, Caller, MadeKey, Seams, Wrap } from '../../../reference-server/gateway/seams.ts'
import type { KeyRecord } from '../../../reference-server/store/store.ts'
import { noticingNewKeys, renamingKeys } from '../../wraps/key.ts'
import { refusal } from '../../wraps/request.ts'
import { isStream } from '../../wraps/stream.ts'
import { leavingOutOfUsage, showingUsage, sum } from '../../wraps/usage.ts'
import type { Fault } from '../fault.ts'

/** How long requests whose keys could be confused wait for each other. */
const meetingMs = 200

/** Gateways that the checks of `suites/2-resources/2.6-api-key.ts` must notice. */
export const apiKeyFaults = {
  'foreign-key-names-crash': {
    about: 'A key with a name outside ASCII crashes the request logger.',
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
    about: 'Keys with limits have a different prefix from other keys.',
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
  'key-without-prefix': {
    about: 'New keys are random text without a prefix.',
    breaks: ['key.prefix'],
    wrap: () => renamingKeys((key) => key.slice(key.lastIndexOf('-') + 1)),
  },
  'key-with-other-prefix': {
    about: 'New keys begin with pk instead of sk.',
    breaks: ['key.prefix'],
    wrap: () => renamingKeys((key) => `pk${key.slice(2)}`),
  },
  'key-prefix-upper-case': {
    about: "New keys spell the service's name in capitals.",
    breaks: ['key.prefix'],
    wrap: () => renamingKeys((key) => key.replace(/^sk-[a-z0-9]+/, (prefix) => `sk-${prefix.slice(3).toUpperCase()}`)),
  },
  'new-key-refused-at-first': {
    about: 'The first request with a new key is refused.',
    breaks: ['key.works-at-once', 'account.free-credit'],
    wrap: () => {
      const known = new Set<string>()
      return {
        createKey: noticingNewKeys(({ record }) => known.add(record.id)),
        findKey: (real) => (presented, call) => {
          const key = real(presented, call)
          return key !== undefined && known.delete(key.id) ? undefined : key
        },
      }
    },
  },
  'second-new-key-refused': {
    about: "Only an account's first key works: later ones are shown but refused.",
    breaks: ['key.works-at-once'],
    wrap: () => {
      const first = new Map<string, string>()
      return {
        createKey: noticingNewKeys(({ record }, accountId) => first.set(accountId, first.get(accountId) ?? record.id)),
        findKey: (real) => (presented, call) => {
          const key = real(presented, call)
          const known = first.get(key?.accountId ?? '')
          return known === undefined || known === key?.id ? key : undefined
        },
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
    about: 'The refusal of a bad request repeats the key of a paying account.',
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
  'deletion-takes-namesakes': {
    about: 'Deleting a key deletes all keys of the same name in its account.',
    breaks: ['key.namesakes-are-two'],
    wrap: () =>
      rememberingKeys((made) => ({
        deleteKey: (real) => async (keyId) => {
          const isDeleted = await real(keyId)
          for (const { id } of namesakesOf(made, keyId)) await real(id)
          return isDeleted
        },
      })),
  },
  'same-name-same-key': {
    about: 'Making a key with a name already in use returns the old key again.',
    breaks: ['key.namesakes-are-two'],
    wrap: () => {
      const made = new Map<string, MadeKey>()
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
    about: 'Keys of the same name in an account show their combined usage.',
    breaks: ['key.namesakes-are-two'],
    wrap: () =>
      rememberingKeys((made) => ({
        keyUsage: (real) => async (keyId) => {
          const own = await real(keyId)
          if (own === undefined) return own
          return sum(own, ...(await Promise.all(namesakesOf(made, keyId).map(({ id }) => real(id)))))
        },
      })),
  },
  'fifth-key-ends-the-first': {
    about: 'An account holds four keys: a fifth one silently ends the oldest.',
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
    about: 'When more than ten requests run at once, usage is booked on the key that came last.',
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
  'usage-without-requests': {
    about: "A key's usage leaves out requests.",
    breaks: ['key.usage-is-counted'],
    wrap: () => showingUsage((usage) => ({ ...usage, requests: 0 })),
  },
  'usage-counts-twice': {
    about: "A key's usage counts every request twice.",
    breaks: ['key.usage-is-counted'],
    wrap: () => showingUsage((usage) => ({ ...usage, requests: usage.requests * 2 })),
  },
  'usage-without-prompt': {
    about: "A key's usage leaves out prompt tokens.",
    breaks: ['key.usage-is-counted'],
    wrap: () => showingUsage((usage) => ({ ...usage, promptTokens: 0 })),
  },
  'usage-without-streams': {
    about: "A key's usage leaves out streams.",
    breaks: ['key.usage-counts-streams'],
    wrap: () => leavingOutOfUsage(isStream, () => ({ requests: 1 })),
  },
  'usage-without-tokens-of-streams': {
    about: "A key's usage counts streams as requests but leaves out their tokens.",
    breaks: ['key.usage-counts-streams'],
    wrap: () => leavingOutOfUsage(isStream, (_, { completionTokens }) => ({ completionTokens })),
  },
  'usage-on-every-key-of-the-account': {
    about: 'Usage is kept per account, and each of its keys shows all of it.',
    breaks: ['key.usage-is-its-own'],
    wrap: () => {
      const firstOf = new Map<string, string>()
      const keyOf = new Map<string, string>()
      return {
        createKey: noticingNewKeys(({ record: { id } }, accountId) => {
          if (!firstOf.has(accountId)) firstOf.set(accountId, id)
          keyOf.set(id, firstOf.get(accountId) ?? id)
        }),
        keyUsage: (real) => (keyId) => real(keyOf.get(keyId) ?? keyId),
      }
    },
  },
  'refusals-are-usage': {
    about: "A key's usage counts refused requests.",
    breaks: ['key.refusals-are-not-usage'],
    wrap: () => {
      const refused = new Map<string, number>()
      return {
        errorAnswer: (real) => (error, call) => {
          const id = call.caller?.key.id ?? ''
          if (error.status === 400) refused.set(id, (refused.get(id) ?? 0) + 1)
          return real(error, call)
        },
        ...showingUsage((usage, keyId) => ({ ...usage, requests: usage.requests + (refused.get(keyId) ?? 0) })),
      }
    },
  },
  'usage-without-one-model': {
    about: "A key's usage leaves out the tokens of one model.",
    breaks: ['key.usage-is-counted'],
    follows: ['billing.entries-say-what-for'],
    wrap: () => ({
      charge: (real) => (hold, cost, usage, call) =>
        real(hold, cost, call.model?.id === 'medium' ? { promptTokens: 0, completionTokens: 0 } : usage, call),
    }),
  },
} as const satisfies Record<string, Fault>

/** Keeps the records of new keys, for faults that go by their names. */
function rememberingKeys(use: (made: ReadonlyMap<string, KeyRecord>) => Wrap): Wrap {
  const made = new Map<string, KeyRecord>()
  return {
    ...use(made),
    createKey: noticingNewKeys(({ record }) => made.set(record.id, record)),
  }
}

function namesakesOf(made: ReadonlyMap<string, KeyRecord>, keyId: string): readonly KeyRecord[] {
  const own = made.get(keyId)
  return [...made.values()].filter(
    ({ id, name, accountId }) => id !== keyId && name === own?.name && accountId === own.accountId,
  )
}
