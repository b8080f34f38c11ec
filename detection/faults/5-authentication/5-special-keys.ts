import { unfundedName } from '../../../reference-server/demo.ts'
import { insufficientFunds, unauthorized } from '../../../reference-server/gateway/gateway-error.ts'
import type { Call, Caller, Wrap } from '../../../reference-server/gateway/seams.ts'
import type { Json } from '../../wraps/json.ts'
import { revivingDeletedKey, servingOnCredit } from '../../wraps/key.ts'
import { dropping, refusal, refusing } from '../../wraps/request.ts'
import { isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/5-authentication/5-special-keys.ts` must notice. */
export const specialKeysFaults = {
  'second-key-refused': {
    about: "Only an account's first key works.",
    breaks: ['auth.second-key-works', 'account.free-credit', 'key.works-at-once'],
    wrap: () => refusingLaterKeys(() => true, 401),
  },
  'second-key-refused-in-streams': {
    about: "Only an account's first key may stream.",
    breaks: ['auth.second-key-works', 'key.limit-counts-streams'],
    wrap: () => refusingLaterKeys((body) => body['stream'] === true, 403),
  },
  'second-key-has-narrower-temperature': {
    about: "An account's second key is refused temperatures above 1.",
    breaks: ['auth.second-key-same-bounds'],
    wrap: () => refusingLaterKeys((body) => Number(body['temperature']) > 1),
  },
  'slash-needs-no-key': {
    about: 'With a slash at the end, the path of chat completions needs no key.',
    breaks: ['auth.other-spellings-need-a-key'],
    wrap: () => {
      const slashed = new WeakSet<Call>()
      return {
        ...admittingStrangers((call) => slashed.has(call)),
        serve: (real) => (call) => {
          const { request } = call
          if (request.url?.endsWith('/completions/')) {
            slashed.add(call)
            request.url = request.url.slice(0, -1)
          }
          return real(call)
        },
      }
    },
  },
  'node-asked-before-the-key': {
    about: 'A node is asked before the key is looked up.',
    breaks: ['relay.unknown-key-reaches-no-node'],
    wrap: () => {
      const strangers = new WeakSet<Call>()
      const note = (call: Call): boolean => strangers.add(call).has(call)
      return {
        ...admittingStrangers(note),
        errorAnswer: (real) => (error, call) => real(strangers.has(call) ? unauthorized() : error, call),
        generate: (real) =>
          async function* (node, job, signal, call) {
            const words = real(node, job, signal, call)
            if (!strangers.has(call)) return yield* words
            await words.next()
            throw unauthorized()
          },
      }
    },
  },
  'revoked-key-works': {
    about: 'A revoked key still works.',
    breaks: ['auth.revoked-key-refused'],
    wrap: () => ({ findKey: revivingDeletedKey(() => true) }),
  },
  'revoked-key-works-in-streams': {
    about: 'A revoked key still works for streams.',
    breaks: ['auth.revoked-key-refused'],
    wrap: () => ({
      findKey: revivingDeletedKey(() => true),
      validate: (real) => (value, call) => {
        const request = real(value, call)
        if (call.caller?.key.name === 'revoked' && !request.stream) throw unauthorized()
        return request
      },
    }),
  },
  'revoked-key-is-500': {
    about: 'A deleted key crashes the handler.',
    breaks: ['auth.revoked-refusal-is-client-error'],
    wrap: () => ({
      findKey: revivingDeletedKey(() => true),
      validate: (real) => (value, call) => {
        if (call.caller?.key.name === 'revoked') throw refusal(500)
        return real(value, call)
      },
    }),
  },
  'revoked-key-works-again': {
    about: 'A revoked key is refused twice and then works again.',
    breaks: ['auth.revoked-key-refused'],
    wrap: () => {
      let refused = 0
      return {
        findKey: revivingDeletedKey(() => {
          refused += 1
          return refused > 2
        }),
      }
    },
  },
  'unfunded-served': {
    about: 'An account without funds is served.',
    breaks: ['auth.unfunded-key-refused', 'account.exhausted-is-refused'],
    wrap: () => servingOnCredit(() => true),
  },
  'unfunded-served-in-streams': {
    about: 'An account without funds may stream.',
    breaks: ['auth.unfunded-key-refused', 'account.exhausted-is-refused'],
    wrap: () => servingOnCredit(isStream),
  },
  'unfunded-is-503': {
    about: 'A lack of funds is answered with 503, as an outage.',
    breaks: ['auth.unfunded-key-refused', 'account.exhausted-is-refused'],
    wrap: () => ({
      hold: (real) => (most, caller, call) =>
        real(most, caller, call).catch(() => {
          throw refusal(503)
        }),
    }),
  },
  'unfunded-notice-as-reply': {
    about: 'A lack of funds is reported as the text of a reply with status 200.',
    breaks: ['auth.unfunded-key-refused', 'account.exhausted-is-refused'],
    wrap: () => ({
      ...servingOnCredit(() => true),
      generate: (real) =>
        async function* (node, job, signal, call) {
          if (call.caller?.key.name !== unfundedName) return yield* real(node, job, signal, call)
          yield { text: insufficientFunds().message, tokens: 1 }
          return 'stop'
        },
    }),
  },
  'temperature-unchecked-for-second-key': {
    about: "An account's second key may send any temperature.",
    breaks: ['auth.second-key-same-bounds'],
    wrap: () => {
      const seen: string[] = []
      return dropping('temperature', (value, _, call) => {
        const id = call.caller?.key.id ?? ''
        if (!seen.includes(id)) seen.push(id)
        return seen.indexOf(id) > 0 && typeof value === 'number'
      })
    },
  },
} as const satisfies Record<string, Fault>

/** Admits callers without a known key, where `when` says so, as whoever was admitted first. */
function admittingStrangers(when: (call: Call) => boolean): Wrap {
  let first: Caller | undefined
  return {
    authenticate: (real) => (call) => {
      try {
        const caller = real(call)
        first ??= caller
        return caller
      } catch (error) {
        if (first === undefined || !when(call)) throw error
        return first
      }
    },
  }
}

/** Tells whether a call has another key than the first call had. */
function laterKeys(): (call: Call) => boolean {
  let first: string | undefined
  return ({ caller }) => {
    first ??= caller?.key.id
    return caller?.key.id !== first
  }
}

/** Refuses bodies sent with any key but the first. */
function refusingLaterKeys(when: (body: Json) => boolean, status = 400): Wrap {
  const isLater = laterKeys()
  return refusing((body, call) => isLater(call) && when(body), status)
}
