import type { CheckId } from '../../src/check/check-ids.ts'
import { isStream } from '../wraps/stream.ts'
import { firstOnly, type Watch, watching } from './watch.ts'

/** Which requests it is about, which members of a list, or how far a reply has come. */
export type WhenKind = 'request' | 'element' | 'progress'

/** When a gateway does it. */
export interface When {
  /** Reads after what happens: "… is lost in streams". */
  readonly about: string
  /** `mode`: of every request, or of every one in this mode. */
  readonly of: WhenKind | 'mode'
  /** The checks that compare both sides at such a time. */
  readonly noticedBy: readonly CheckId[]
  /** Made anew for each gateway. */
  readonly watch: () => Watch
}

const lateFrom = 20

const inTurn = ['relay.exchanges-in-turn'] as const

const mode = { of: 'mode', noticedBy: inTurn } as const
const request = { of: 'request', noticedBy: inTurn } as const
const element = { of: 'element', noticedBy: inTurn } as const
const progress = { of: 'progress', noticedBy: [] } as const

export const whens = {
  always: { ...mode, about: '', watch: () => ({ holds: () => true }) },
  'in-replies': { ...mode, about: 'in replies', watch: () => ({ holds: (call) => !isStream(call) }) },
  'in-streams': { ...mode, about: 'in streams', watch: () => ({ holds: isStream }) },
  first: { ...request, about: 'the first time', watch: firstOnly },
  'every-third': {
    ...request,
    about: 'in every third request',
    watch: () => watching(({ number }) => number % 3 === 0),
  },
  late: {
    ...request,
    about: `from the ${lateFrom}th request on`,
    watch: () => watching(({ number }) => number >= lateFrom),
  },
  'asked-again': {
    ...request,
    about: 'when the same is asked again',
    watch: () => watching(({ isRepeated }) => isRepeated),
  },
  'after-a-failure': {
    ...request,
    about: 'after a node has failed',
    noticedBy: ['relay.exchange-after-a-failure'],
    watch: () => watching(({ afterFailure, call }) => afterFailure && call.tried.size === 1),
  },
  'after-a-left-stream': {
    ...request,
    about: 'after a client has left its stream',
    noticedBy: ['relay.exchange-after-a-left-stream'],
    watch: () => watching(({ afterLeft }) => afterLeft),
  },
  'second-try': {
    ...request,
    about: 'on the second try',
    noticedBy: [
      'relay.exchange-on-the-second-try',
      'relay.second-try-asks-the-same',
      'relay.second-try-begins-anew',
      'relay.another-node-is-tried',
    ],
    watch: () => watching(({ call }) => call.tried.size > 1),
  },
  'beside-others': {
    ...request,
    about: 'beside other requests',
    // The exchanges in turn are beside those of other checks.
    noticedBy: ['relay.exchanges-beside-others', 'relay.exchanges-in-turn', 'relay.replies-not-mixed'],
    watch: () => watching(({ underWay }) => underWay > 1),
  },
  'first-element': {
    ...element,
    about: 'where it is the first',
    watch: () => ({ holds: (_, { index }) => index === 0 }),
  },
  'third-element': {
    ...element,
    about: 'where it is the third',
    watch: () => ({ holds: (_, { index }) => index === 2 }),
  },
  'last-element': { ...element, about: 'where it is the last', watch: () => ({ holds: (_, { isLast }) => isLast }) },
  'before-the-first-fragment': { ...progress, about: 'before the first fragment', watch: () => afterFragments(0, 0) },
  'after-1-fragment': { ...progress, about: 'after 1 fragment', watch: () => afterFragments(1, 2) },
  'after-8-fragments': { ...progress, about: 'after 8 fragments', watch: () => afterFragments(3, 29) },
  'after-50-fragments': {
    ...progress,
    about: 'after 50 fragments',
    watch: () => afterFragments(30, Number.POSITIVE_INFINITY),
  },
} as const satisfies Readonly<Record<string, When>>

export type WhenId = keyof typeof whens

/** Fragments that come together with the failure are lost, so that a few less count too. */
function afterFragments(least: number, most: number): Watch {
  return { holds: (_, { index }) => index >= least && index <= most }
}
