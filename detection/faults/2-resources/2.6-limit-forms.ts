import type { Call, Caller, Wrap } from '../../../reference-server/gateway/seams.ts'
import type { KeyRecord } from '../../../reference-server/store/store.ts'
import { limitingAs, noticingNewKeys } from '../../wraps/key.ts'
import { isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.6-limit-forms.ts` must notice. */
export const limitFormsFaults = {
  'limit-of-each-model': {
    about: 'The requests of a key are counted separately for each model.',
    breaks: ['key.limit-counts-every-model'],
    wrap: () => limitingAs((key, { model }) => ({ ...key, id: `${key.id} ${model?.id}` })),
  },
  'limit-refilled-by-a-new-key': {
    about: "Making a key refills the limits of the account's other keys.",
    breaks: ['key.limit-is-not-refilled'],
    wrap: () => {
      const made = new Map<string, number>()
      return {
        createKey: (real) => (accountId, terms) => {
          made.set(accountId, (made.get(accountId) ?? 0) + 1)
          return real(accountId, terms)
        },
        ...limitingAs((key) => ({ ...key, id: `${key.id} ${made.get(key.accountId)}` })),
      }
    },
  },
  'limit-refilled-by-a-deletion': {
    about: "Deleting a key refills the limits of the account's other keys.",
    breaks: ['key.limit-is-not-refilled'],
    wrap: () => {
      const accounts = new Map<string, string>()
      const deleted = new Map<string, number>()
      return {
        createKey: noticingNewKeys(({ record }, accountId) => accounts.set(record.id, accountId)),
        deleteKey: (real) => (keyId) => {
          const accountId = accounts.get(keyId) ?? ''
          deleted.set(accountId, (deleted.get(accountId) ?? 0) + 1)
          return real(keyId)
        },
        ...limitingAs((key) => ({ ...key, id: `${key.id} ${deleted.get(key.accountId)}` })),
      }
    },
  },
  'token-limit-beside-requests': {
    about: 'A key with a request limit has no token limit.',
    breaks: ['key.token-limit-counts-everything'],
    wrap: () => limitingAs((key) => (key.requestsPerMinute === undefined ? key : withoutTokens(key))),
  },
  'token-limit-without-streams': {
    about: 'Streams take nothing from the token limit.',
    breaks: ['key.token-limit-counts-everything'],
    wrap: () => countingTokens(({ prompt, completion }, call) => (isStream(call) ? 0 : prompt + completion)),
  },
  'token-limit-without-prompts': {
    about: 'Prompts take nothing from the token limit.',
    breaks: ['key.token-limit-counts-everything'],
    wrap: () => countingTokens(({ completion }) => completion),
  },
  'token-limit-of-the-account': {
    about: 'The keys of an account share one token limit.',
    breaks: ['key.token-limit-is-its-own'],
    wrap: () => limitingAs((key) => (key.tokensPerMinute === undefined ? key : { ...key, id: key.accountId })),
  },
  'limit-locks-for-good': {
    about: 'A key refused three times in a row is refused forever.',
    breaks: ['key.limit-passes'],
    wrap: () => {
      const refused = new Map<string, { times: number; last: unknown }>()
      return {
        reserve: (real) => async (caller: Caller, tokens, call) => {
          const { id } = caller.key
          const before = refused.get(id) ?? { times: 0, last: undefined }
          if (before.times >= 3) throw before.last
          try {
            const reservation = await real(caller, tokens, call)
            refused.delete(id)
            return reservation
          } catch (last) {
            refused.set(id, { times: before.times + 1, last })
            throw last
          }
        },
      }
    },
  },
} as const satisfies Record<string, Fault>

/** Takes other tokens from a limit than a request uses: one before it, and what `tokensOf` says after it. */
function countingTokens(tokensOf: (tokens: { prompt: number; completion: number }, call: Call) => number): Wrap {
  return {
    reserve: (real) => (caller, _, call) => real(caller, 1, call),
    commit:
      (real) =>
      (reservation, { promptTokens, completionTokens }, call) =>
        real(
          reservation,
          { promptTokens: 0, completionTokens: tokensOf({ prompt: promptTokens, completion: completionTokens }, call) },
          call,
        ),
  }
}

function withoutTokens({ tokensPerMinute: _, ...key }: KeyRecord): KeyRecord {
  return { ...key, id: `${key.id} untold` }
}
