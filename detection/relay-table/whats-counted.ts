import { inUsage } from './carriers.ts'
import { type Distortions, lost, ofPrevious } from './hows.ts'
import { served } from './noticed.ts'
import { relayedValue } from './relayed-value.ts'
import type { What } from './what.ts'

const countDistortions: Distortions = {
  lost,
  'type-changed': (value) => String(value),
  clamped: (value) => Math.min(Number(value), 10),
  'from-the-wrong-side': ofPrevious,
}

/** Another tokeniser counts otherwise, so that a count by itself cannot be wrong by a little. */
const openCounts = { rounded: 'open', raised: 'open', doubled: 'open', 'lost-when-zero': 'open' } as const

/** What is said of the tokens of a reply. */
export const whatsCounted = {
  usage: relayedValue({
    about: 'the usage of a reply',
    carrier: inUsage(),
    hows: {
      lost,
      'type-changed': (value) => JSON.stringify(value),
      'from-the-wrong-side': ofPrevious,
    },
    empty: { truncated: 'elsewhere' },
    emptyAt: { lost: { 'in-streams': 'open' }, 'from-the-wrong-side': { first: 'open' } },
    noticedBy: served,
  }),
  'prompt-tokens': relayedValue({
    about: 'the count of prompt tokens',
    carrier: inUsage('prompt_tokens'),
    hows: countDistortions,
    empty: openCounts,
    noticedBy: served,
  }),
  'completion-tokens': relayedValue({
    about: 'the count of completion tokens',
    carrier: inUsage('completion_tokens'),
    hows: countDistortions,
    empty: openCounts,
    noticedBy: served,
  }),
  'total-tokens': relayedValue({
    about: 'the count of all tokens',
    carrier: inUsage('total_tokens'),
    hows: countDistortions,
    empty: openCounts,
    noticedBy: served,
  }),
} as const satisfies Readonly<Record<string, What>>
