import { pacing, refragmenting } from '../wraps/words.ts'
import type { Variant } from './variant.ts'

/** Legal gateways whose models send a text in unusual pieces, or at an unusual pace. */
export const paceVariants = {
  'text-in-one-chunk': {
    reported: true,
    about: 'The whole text comes in one chunk; the contract sets no fragment size.',
    group: 'pace',
    wrap: () =>
      refragmenting((fragments) => [
        {
          text: fragments.map(({ text }) => text).join(''),
          tokens: fragments.reduce((sum, { tokens }) => sum + tokens, 0),
        },
      ]),
  },
  'text-in-three-chunks': {
    about: 'The text comes in three chunks; the contract sets no fragment size.',
    group: 'pace',
    wrap: () =>
      refragmenting((fragments) => {
        const size = Math.ceil(fragments.length / 3)
        return [0, 1, 2].map((third) => {
          const part = fragments.slice(third * size, (third + 1) * size)
          return {
            text: part.map(({ text }) => text).join(''),
            tokens: part.reduce((sum, { tokens }) => sum + tokens, 0),
          }
        })
      }),
  },
  'text-one-character-a-chunk': {
    reported: true,
    about: 'Each chunk holds one code point; the contract sets no fragment size.',
    group: 'pace',
    wrap: () =>
      refragmenting((fragments) =>
        fragments.flatMap(({ text, tokens }) =>
          text === ''
            ? [{ text, tokens }]
            : [...text].map((character, index) => ({ text: character, tokens: index === 0 ? tokens : 0 })),
        ),
      ),
  },
  'node-slow-first-token': {
    about: 'The first token takes 100 ms; the contract promises no speed.',
    group: 'pace',
    wrap: () => pacing((index) => (index === 0 ? 100 : 0)),
  },
  'node-two-milliseconds-a-token': {
    about: 'Each token takes 2 ms; the contract promises no speed.',
    group: 'pace',
    wrap: () => pacing(() => 2),
  },
  'node-stalls': {
    about: 'The node pauses for 120 ms within the reply; the contract promises no speed.',
    group: 'pace',
    wrap: () => pacing((index) => (index === 7 ? 120 : 0)),
  },
  'node-sends-bursts': {
    about: 'Tokens come ten at a time, as nodes with speculative decoding send them.',
    group: 'pace',
    wrap: () => pacing((index) => (index % 10 === 0 ? 15 : 0)),
  },
} as const satisfies Record<string, Variant>
