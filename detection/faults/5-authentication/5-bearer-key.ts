import { createHash } from 'node:crypto'
import { unauthorized } from '../../../reference-server/gateway/gateway-error.ts'
import type { Call, Caller, Wrap } from '../../../reference-server/gateway/seams.ts'
import { asJson } from '../../wraps/json.ts'
import { replies } from '../../wraps/reply.ts'
import { refusal } from '../../wraps/request.ts'
import type { Fault } from '../fault.ts'

const authorizationOf = ({ request }: Call): string | undefined => request.headers.authorization

const keyIn = (call: Call): string => /^bearer +(\S+)$/i.exec(authorizationOf(call) ?? '')?.[1] ?? ''

/** Callers that were rightly admitted, by the key that they presented. */
type Known = ReadonlyMap<string, Caller>

/** Gateways that the checks of `suites/5-authentication/5-bearer-key.ts` must notice. */
export const bearerKeyFaults = {
  'key-missing-accepted': {
    about: 'A request without a key is accepted.',
    breaks: ['auth.missing-key-refused'],
    wrap: () => admittingWhen((header) => header === undefined),
  },
  'key-missing-accepted-in-streams': {
    about: 'A stream request without a key is accepted.',
    breaks: ['auth.missing-key-refused'],
    wrap: () => ({
      ...admittingWhen((header) => header === undefined),
      validate: (real) => (value, call) => {
        if (authorizationOf(call) === undefined && asJson(value)['stream'] !== true) throw unauthorized()
        return real(value, call)
      },
    }),
  },
  'key-of-any-value-accepted': {
    about: 'Any bearer key is accepted, even a revoked one.',
    breaks: ['auth.wrong-key-refused', 'auth.near-miss-refused', 'auth.revoked-key-refused'],
    wrap: () => admittingWhen((header) => /^bearer +\S/i.test(header ?? '')),
  },
  'key-of-unset-variable-accepted': {
    about: 'The keys `null` and `undefined` are accepted.',
    breaks: ['auth.wrong-key-refused'],
    wrap: () => admittingWhen((header) => /^bearer (null|undefined)$/i.test(header ?? '')),
  },
  'key-of-great-length-accepted': {
    about: 'A key of 100 to 1000 characters is accepted without being looked up.',
    breaks: ['auth.wrong-key-refused'],
    wrap: () => admittingWhen((header) => /^bearer \S{100,1000}$/i.test(header ?? '')),
  },
  'key-prefix-alone-accepted': {
    about: 'The fixed prefix of keys is accepted as a key.',
    breaks: ['auth.wrong-key-refused'],
    wrap: () => admittingWhen((header) => header === 'Bearer sk-assay-'),
  },
  'key-of-right-form-accepted': {
    about: 'Every key of the right form is accepted: only its prefix and its letters are checked.',
    breaks: ['auth.wrong-key-refused', 'auth.near-miss-refused', 'auth.revoked-key-refused'],
    wrap: () => admittingWhen((header) => /^Bearer sk-assay-[a-z0-9]+/.test(header ?? '')),
  },
  'key-compared-without-case': {
    about: 'Keys are compared without regard to case.',
    breaks: ['auth.near-miss-refused'],
    wrap: () => comparingKeys((presented, key) => presented.toLowerCase() === key.toLowerCase()),
  },
  'key-compared-by-beginning': {
    about: 'The first half of a key is enough.',
    breaks: ['auth.near-miss-refused'],
    wrap: () => comparingKeys((presented, key) => presented.length >= key.length / 2 - 1 && key.startsWith(presented)),
  },
  'key-with-more-behind-accepted': {
    about: 'A key followed by something else is accepted.',
    breaks: ['auth.near-miss-refused'],
    wrap: () => comparingKeys((presented, key) => presented.startsWith(key)),
  },
  'key-compared-by-ending': {
    about: 'A key that lacks its first character is accepted.',
    breaks: ['auth.near-miss-refused'],
    wrap: () => comparingKeys((presented, key) => key.endsWith(presented) && presented.length > 8),
  },
  'key-compared-by-public-part': {
    about: 'Only the public id inside a key is looked up.',
    breaks: ['auth.near-miss-refused'],
    wrap: () => comparingKeys((presented, key) => presented.slice(0, 22) === key.slice(0, 22)),
  },
  'key-compared-but-for-its-last-character': {
    about: 'The last character of a key is not compared.',
    breaks: ['auth.near-miss-refused'],
    wrap: () => comparingKeys((presented, key) => presented.slice(0, -1) === key.slice(0, -1)),
  },
  'scheme-basic-accepted': {
    about: 'A key sent as the user name of Basic authentication is accepted.',
    breaks: ['auth.other-schemes-refused'],
    wrap: () =>
      admittingAs((header, known) => {
        const [, credentials = ''] = /^basic (\S+)$/i.exec(header ?? '') ?? []
        return known.get(Buffer.from(credentials, 'base64').toString().split(':')[0] ?? '')
      }),
  },
  'scheme-of-any-name-accepted': {
    about: 'A key is accepted under any authentication scheme.',
    breaks: ['auth.other-schemes-refused', 'key.deleted-is-refused-at-once'],
    wrap: () => admittingAs((header, known) => known.get(/^\w+ (\S+)$/.exec(header ?? '')?.[1] ?? '')),
  },
  'scheme-without-space-accepted': {
    about: 'A key that follows the scheme without a space is accepted.',
    breaks: ['auth.other-schemes-refused'],
    wrap: () => admittingAs((header, known) => known.get(/^Bearer(sk-\S+)$/.exec(header ?? '')?.[1] ?? '')),
  },
  'scheme-with-colon-accepted': {
    about: 'A colon after the scheme is overlooked.',
    breaks: ['auth.other-schemes-refused'],
    wrap: () => admittingAs((header, known) => known.get(/^Bearer: (\S+)$/.exec(header ?? '')?.[1] ?? '')),
  },
  'key-empty-accepted': {
    about: 'The scheme without a key is accepted.',
    breaks: ['auth.empty-key-refused'],
    wrap: () => admittingWhen((header) => /^bearer\s*$/i.test(header ?? '')),
  },
  'authorization-empty-accepted': {
    about: 'An empty Authorization header is accepted.',
    breaks: ['auth.empty-key-refused'],
    wrap: () => admittingWhen((header) => header === ''),
  },
  'key-missing-is-500': {
    about: 'A request without a key crashes the handler.',
    breaks: ['auth.refusal-is-client-error'],
    wrap: () => refusingWrongKeysWith(500, (header) => header === undefined),
  },
  'key-wrong-is-502': {
    about: 'An unknown key is answered with 502, as if the key store had failed.',
    breaks: ['auth.refusal-is-client-error'],
    follows: ['auth.revoked-refusal-is-client-error'],
    wrap: () => refusingWrongKeysWith(502, (header) => /^bearer \S+$/i.test(header ?? '')),
  },
  'key-long-is-500': {
    about: 'A key of thousands of characters crashes the handler.',
    breaks: ['auth.refusal-is-client-error'],
    wrap: () => refusingWrongKeysWith(500, (header) => (header ?? '').length > 5000),
  },
  'key-outside-ascii-is-500': {
    about: 'A key with characters outside ASCII crashes the handler.',
    breaks: ['auth.refusal-is-client-error'],
    wrap: () => refusingWrongKeysWith(500, (header) => /[^\0-\x7f]/.test(header ?? '')),
  },
  'key-of-three-words-is-500': {
    about: 'An Authorization header of more than two words crashes the handler.',
    breaks: ['auth.refusal-is-client-error'],
    wrap: () =>
      refusingWrongKeysWith(
        500,
        (header) => (header ?? '').split(' ').length > 2 && header?.startsWith('Bearer a') === true,
      ),
  },
  'scheme-lower-case-refused': {
    about: 'The scheme `bearer` in lower case is refused.',
    breaks: ['auth.scheme-case-free'],
    wrap: () => refusingRightKeys((header) => header.startsWith('bearer ')),
  },
  'scheme-upper-case-refused': {
    about: 'The scheme `BEARER` in capitals is refused.',
    breaks: ['auth.scheme-case-free'],
    wrap: () => refusingRightKeys((header) => header.startsWith('BEARER ')),
  },
  'two-spaces-behind-scheme-refused': {
    about: 'Two spaces between the scheme and the key are refused.',
    breaks: ['auth.scheme-case-free'],
    wrap: () => refusingRightKeys((header) => / {2}/.test(header)),
  },
  'refused-key-echoed': {
    about: 'The refusal of a key repeats the key.',
    breaks: ['auth.refusal-keeps-key-secret', 'auth.errors-keep-key-secret'],
    wrap: () => tellingInErrors(401, keyIn),
  },
  'refused-key-echoed-as-hash': {
    about: 'The refusal of a key shows its SHA-256.',
    breaks: ['auth.refusal-keeps-key-secret'],
    wrap: () => tellingInErrors(401, (call) => createHash('sha256').update(keyIn(call)).digest('hex')),
  },
  'refused-key-echoed-in-header': {
    about: 'The refusal of a key repeats the key in a header.',
    breaks: ['auth.refusal-keeps-key-secret', 'auth.errors-keep-key-secret'],
    wrap: () => ({
      errorAnswer: (real) => (error, call) => {
        const answer = real(error, call)
        if (error.status !== 401 || !/^[\x21-\x7e]{20,}$/.test(keyIn(call))) return answer
        return { ...answer, headers: { ...answer.headers, 'x-refused-key': keyIn(call) } }
      },
    }),
  },
  'key-in-errors': {
    about: "The answer to a bad request shows the request's headers, including the key.",
    breaks: ['auth.errors-keep-key-secret', 'key.shown-once'],
    wrap: () => tellingInErrors(400, (call) => JSON.stringify(call.request.headers)),
  },
  'key-in-not-found': {
    about: "The error for an unknown model names the caller's key.",
    breaks: ['auth.errors-keep-key-secret'],
    wrap: () => tellingInErrors(404, keyIn),
  },
  'key-in-replies': {
    about: "Replies show the caller's Authorization header with the key.",
    breaks: ['auth.errors-keep-key-secret', 'key.shown-once'],
    wrap: () => replies((reply, _, call) => ({ ...reply, authorization: authorizationOf(call) })),
  },
  'address-of-the-host-needs-no-key': {
    about: 'A request that claims to be forwarded from the host itself needs no key.',
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

/** Admits requests that the honest gateway refuses, as an earlier caller. */
function admittingAs(find: (header: string | undefined, known: Known, call: Call) => Caller | undefined): Wrap {
  const known = new Map<string, Caller>()
  return {
    authenticate: (real) => (call) => {
      try {
        const caller = real(call)
        known.set(keyIn(call), caller)
        return caller
      } catch (error) {
        const caller = find(authorizationOf(call), known, call)
        if (caller === undefined) throw error
        return caller
      }
    },
  }
}

/** Admits requests whose Authorization header passes a test, as any earlier caller. */
function admittingWhen(passes: (header: string | undefined) => boolean): Wrap {
  return admittingAs((header, known) => (passes(header) ? anyOf(known) : undefined))
}

/** Admits requests whose key resembles one that was admitted before. */
function comparingKeys(isSame: (presented: string, key: string) => boolean): Wrap {
  return admittingAs((_, known, call) => {
    const presented = keyIn(call)
    return presented === '' ? undefined : [...known].find(([key]) => isSame(presented, key))?.[1]
  })
}

function anyOf(known: Known): Caller | undefined {
  const [caller] = known.values()
  return caller
}

/** Refuses with another status where the honest gateway answers 401. */
function refusingWrongKeysWith(status: number, when: (header: string | undefined) => boolean): Wrap {
  return {
    authenticate: (real) => (call) => {
      try {
        return real(call)
      } catch (error) {
        throw when(authorizationOf(call)) ? refusal(status) : error
      }
    },
  }
}

/** Refuses requests that should be admitted. */
function refusingRightKeys(when: (header: string) => boolean): Wrap {
  return {
    authenticate: (real) => (call) => {
      if (when(authorizationOf(call) ?? '')) throw unauthorized()
      return real(call)
    },
  }
}

/** Adds what it should not tell to the message of an error. */
function tellingInErrors(status: number, told: (call: Call) => string): Wrap {
  return {
    errorAnswer: (real) => (error, call) => {
      const answer = real(error, call)
      if (error.status !== status) return answer
      const { message, ...rest } = asJson(asJson(answer.body)['error'])
      return { ...answer, body: { error: { ...rest, message: `${message} (${told(call)})` } } }
    },
  }
}
