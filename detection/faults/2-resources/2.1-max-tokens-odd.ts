import { changingRefusalStatus, dropping, numberIn, refusing } from '../../wraps/request.ts'
import { refragmenting } from '../../wraps/words.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.1-max-tokens-odd.ts` must notice. */
export const maxTokensOddFaults = {
  'max-tokens-zero-unlimited': {
    about: 'A max_tokens of 0 is taken as no limit.',
    breaks: ['max-tokens.zero-is-not-unlimited'],
    wrap: () => dropping('max_tokens', (value) => value === 0),
  },
  'max-tokens-zero-unlimited-unless-streamed': {
    about: 'A max_tokens of 0 is taken as no limit in requests without streaming.',
    breaks: ['max-tokens.zero-is-not-unlimited'],
    wrap: () => dropping('max_tokens', (value, body) => value === 0 && body['stream'] !== true),
  },
  'max-tokens-zero-unlimited-in-one-piece': {
    about: 'A max_tokens of 0 is taken as no limit, and a stream has the whole text in one piece.',
    breaks: ['max-tokens.zero-is-not-unlimited'],
    follows: ['stream.not-buffered'],
    wrap: () => ({
      ...dropping('max_tokens', (value) => value === 0),
      ...refragmenting((fragments) => [
        {
          text: fragments.map(({ text }) => text).join(''),
          tokens: fragments.reduce((sum, { tokens }) => sum + tokens, 0),
        },
      ]),
    }),
  },
  'max-tokens-huge-is-500-unless-streamed': {
    about: 'A max_tokens of 2^32 or more crashes the handler of replies without streaming.',
    breaks: ['max-tokens.odd-values-graceful'],
    wrap: () => refusing((body) => body['stream'] !== true && numberIn(body, 'max_tokens') >= 2 ** 32, 500),
  },
  'max-tokens-fraction-unlimited': {
    about: 'A max_tokens between 0 and 1 is taken as no limit.',
    breaks: ['max-tokens.zero-is-not-unlimited'],
    wrap: () => dropping('max_tokens', (value) => Number(value) > 0 && Number(value) < 1),
  },
  'max-tokens-huge-is-500': {
    about: 'A max_tokens of 2^32 or more overflows and crashes the handler.',
    breaks: ['max-tokens.odd-values-graceful'],
    wrap: () => refusing((body) => numberIn(body, 'max_tokens') >= 2 ** 32, 500),
  },
  'max-tokens-negative-is-500': {
    about: 'A negative max_tokens reaches the node, which fails.',
    breaks: ['max-tokens.odd-values-graceful', 'max-tokens.zero-is-not-unlimited'],
    wrap: () => changingRefusalStatus(502, (body) => numberIn(body, 'max_tokens') < 0),
  },
  'max-tokens-zero-is-500': {
    about: 'A max_tokens of 0 crashes the sampler.',
    breaks: ['max-tokens.odd-values-graceful'],
    wrap: () => refusing((body) => body['max_tokens'] === 0, 500),
  },
} as const satisfies Record<string, Fault>
