import type { FinishReason, Fragment } from '../network/node.ts'
import type { Fault } from './fault.ts'
import { refusingText } from './request-tools.ts'
import { asJson, asksForStream, dropping, isStream, reading, refusing, refusingWith } from './tools.ts'

/** Faults of parameters that few requests meet: a spelling, a pair, a mode, a place in a list. */
export const narrowFaults = {
  'temperature-minus-zero-refused': {
    about: 'A temperature of -0 counts as negative.',
    breaks: ['temperature.in-range-accepted'],
    wrap: () => refusing((body) => Object.is(body['temperature'], -0)),
  },
  'temperature-with-exponent-refused': {
    about: 'A temperature that is spelt with an exponent is refused.',
    breaks: ['temperature.in-range-accepted'],
    wrap: () => refusingText((text) => /"temperature":[\d.]+e-?\d/i.test(text)),
  },
  'temperature-of-many-decimals-refused': {
    about: 'A temperature of more than ten decimals is refused.',
    breaks: ['temperature.in-range-accepted'],
    wrap: () => refusingText((text) => /"temperature":[01]\.\d{11}/.test(text)),
  },
  'temperature-beside-top-p-unchecked': {
    about: 'The temperature is not looked at when top_p is there.',
    breaks: ['sampling.one-bad-of-two-refused'],
    wrap: () =>
      dropping('temperature', (value, body) => typeof value === 'number' && typeof body['top_p'] === 'number'),
  },
  'temperature-string-coerced-in-streams': {
    about: 'Streams drop a temperature that is a word.',
    breaks: ['temperature.wrong-type-refused'],
    wrap: () => dropping('temperature', (value, body) => value === 'high' && asksForStream(body)),
  },
  'temperature-list-takes-first': {
    about: 'A list with one temperature in it is taken for that temperature.',
    breaks: ['temperature.wrong-type-refused'],
    wrap: () => dropping('temperature', (value) => Array.isArray(value) && value.length === 1),
  },
  'temperature-out-of-range-is-500-in-streams': {
    about: 'A stream with a temperature out of range is an error of the server.',
    breaks: ['temperature.out-of-range-is-client-error'],
    wrap: () => refusingWith(500, (body) => asksForStream(body) && Math.abs(Number(body['temperature']) - 1) > 1),
  },
  'top-p-as-fraction-of-one-refused': {
    about: 'A top_p of one that is spelt 1.0 is refused.',
    breaks: ['top-p.in-range-accepted', 'top-p.in-range-accepted-streaming'],
    wrap: () => refusingText((text) => /"top_p":1\.0/.test(text)),
  },
  'top-p-near-one-refused': {
    about: 'Values of top_p between 0.99 and 1 are refused.',
    breaks: ['top-p.in-range-accepted'],
    wrap: () => refusing((body) => Number(body['top_p']) > 0.99 && Number(body['top_p']) < 1),
  },
  'bare-nan-is-500': {
    about: 'A bare NaN in a body crashes the handler.',
    breaks: [
      'temperature.odd-numbers-no-server-error',
      'top-p.odd-numbers-no-server-error',
      'max-tokens.odd-values-graceful',
    ],
    wrap: () => refusingText((text) => /:NaN\b/.test(text), 500),
  },
  'max-tokens-true-is-one': {
    about: 'A max_tokens of true counts as 1.',
    breaks: ['max-tokens.wrong-type-refused'],
    wrap: () => reading((body) => (body['max_tokens'] === true ? { ...body, max_tokens: 1 } : body)),
  },
  'max-tokens-of-one-doubled': {
    about: 'Where one token is allowed two are generated.',
    breaks: ['max-tokens.count-within-limit'],
    wrap: () => ({
      job: (real) => (request, model, promptTokens, call) => {
        const job = real(request, model, promptTokens, call)
        return { ...job, tokensMax: Math.max(2, job.tokensMax) }
      },
    }),
  },
  'max-tokens-zero-is-500': {
    about: 'A max_tokens of 0 crashes the sampler.',
    breaks: ['max-tokens.odd-values-graceful'],
    wrap: () => refusing((body) => body['max_tokens'] === 0, 500),
  },
  'short-cache-forgets-stop': {
    about: 'Replies of up to 50 tokens come from a cache whose key has no stop sequences.',
    breaks: ['stop.own-sequence-per-request'],
    wrap: () => {
      const cache = new Map<string, { readonly fragments: readonly Fragment[]; readonly reason: FinishReason }>()
      return {
        generate: (real) =>
          async function* (node, job, signal, call) {
            const { stop: _, ...asked } = job
            const key = JSON.stringify(asked)
            const hit = cache.get(key)
            if (hit !== undefined) {
              yield* hit.fragments
              return hit.reason
            }
            const fragments: Fragment[] = []
            const source = real(node, job, signal, call)
            let step = await source.next()
            for (; !step.done; step = await source.next()) {
              fragments.push(step.value)
              yield step.value
            }
            if (job.tokensMax <= 50 && !isStream(call)) cache.set(key, { fragments, reason: step.value })
            return step.value
          },
      }
    },
  },
  'stop-string-refused-in-streams': {
    about: 'Streams refuse a stop that is a string.',
    breaks: ['stop.string-accepted'],
    wrap: () => refusing((body) => asksForStream(body) && typeof body['stop'] === 'string'),
  },
  'stop-blank-refused': {
    about: 'A stop of white space alone counts as empty and is refused.',
    breaks: ['stop.string-accepted'],
    wrap: () =>
      refusing((body) => typeof body['stop'] === 'string' && body['stop'] !== '' && body['stop'].trim() === ''),
  },
  'stop-only-first-element-checked': {
    about: 'Only the first element of a list of sequences has to be a string.',
    breaks: ['stop.wrong-type-refused'],
    wrap: () =>
      reading((body) => {
        const [first] = Array.isArray(body['stop']) ? body['stop'] : []
        return typeof first === 'string' && first.length < 2
          ? { ...body, stop: [body['stop']].flat().map(String) }
          : body
      }),
  },
  'stop-of-five-is-500': {
    about: 'More than four sequences crash the handler.',
    breaks: ['stop.odd-forms-no-server-error'],
    wrap: () => refusing((body) => Array.isArray(body['stop']) && body['stop'].length > 4, 500),
  },
  'stop-of-great-length-is-500': {
    about: 'A sequence of thousands of characters crashes the handler.',
    breaks: ['stop.odd-forms-no-server-error'],
    wrap: () => refusing((body) => typeof body['stop'] === 'string' && body['stop'].length > 4000, 500),
  },
  'role-list-is-500': {
    about: 'A message whose role is a list crashes the handler.',
    breaks: ['message.wrong-type-refused'],
    wrap: () =>
      refusing(
        (body) => Array.isArray(body['messages']) && body['messages'].some((one) => Array.isArray(asJson(one)['role'])),
        500,
      ),
  },
} as const satisfies Record<string, Fault>
