import type { Bug } from '../bug.ts'

/** Limits that are not kept, or keep too much. */
export const limitBugs = {
  'limits-not-given-back': {
    about: 'A request that is refused for want of funds has used up its part of the limits.',
    limits: (real) => ({ ...real, giveBack: () => {} }),
  },
  'limits-not-settled': {
    about: 'A request takes the most that it may use from the limit of tokens, and nothing is put back.',
    limits: (real) => ({ ...real, commit: () => {} }),
  },
  'limits-by-the-calendar': {
    about: 'Limits fill up by the calendar, which may be set.',
    limitsClock: (real) => ({ ...real, nowMs: real.unixMs }),
  },
  'limits-looked-up-first': {
    about: 'A limit is looked up, and taken from a moment later.',
    limits: (real, clock) => ({
      ...real,
      async reserve(key, tokens) {
        const isLeft = real.stateOf(key).every(({ remaining }) => remaining > 0)
        if (!isLeft) return real.reserve(key, tokens)
        await clock.sleep(2)
        const taken = await real.reserve(key, tokens)
        if (taken.reservation !== undefined) return taken
        const count = Math.min(tokens, key.tokensPerMinute ?? tokens)
        return { state: taken.state, reservation: { key, tokens: count } }
      },
    }),
  },
} as const satisfies Record<string, Bug>
