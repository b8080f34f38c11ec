/**
 * When a target's answers vary by themselves, one wrong answer proves nothing. A rule says how often to ask, how many
 * answers must be wrong, and how many plain requests must then be right, before the target is blamed.
 */
export interface Rule {
  /** What the rule is for. */
  readonly about: string
  /** Why these numbers. */
  readonly reason: string
  /** The most requests, including the first. */
  readonly times: number
  /** How many of them must be wrong. If absent, all of them: then asking ends at the first right answer. */
  readonly wrongMin?: number
  /** How many plain requests follow, and how many of these may be wrong. */
  readonly controls?: { readonly times: number; readonly wrongMax: number }
  /** How often a target that is not to blame is wrong by itself: the case that the rule is for. */
  readonly chance: number
  /** At most this share of such targets is blamed; `rules.test.ts` simulates them. */
  readonly errorMax: number
}

/** A rule that asks more often if the target was seen to cut, refuse or fall silent now and then. */
interface UnsteadyRule extends Rule {
  readonly timesIfUnsteady: number
}

/** Every rule of the harness. */
export const rules = {
  settled: {
    about: 'a 429, a 503, a cut or a silence on a request that should succeed',
    reason: 'Each repeat has a plain request beside it: if that fails too, nothing was learnt.',
    times: 4,
    timesIfUnsteady: 10,
    controls: { times: 3, wrongMax: 0 },
    chance: 0.5,
    errorMax: 0.01,
  },
  contact: {
    about: 'the first requests of a run',
    reason: 'Whether anything can be judged must not depend on one refusal.',
    times: 4,
    chance: 0.1,
    errorMax: 0.0002,
  },
  paid: {
    about: 'a request whose price is looked at',
    reason: 'A temporary refusal costs nothing, so asking again changes no bill.',
    times: 4,
    chance: 0.1,
    errorMax: 0.0002,
  },
  scripted: {
    about: 'a refusal or a cut while all our nodes answer well',
    reason: 'Networks fail now and then; a broken gateway fails each time.',
    times: 3,
    chance: 0.05,
    errorMax: 0.0002,
  },
  fromElsewhere: {
    about: 'a reply for which none of our nodes was asked',
    reason: "Where half of the nodes of a model are somebody else's, chance sends a request there every second time.",
    times: 8,
    chance: 0.5,
    errorMax: 0.006,
  },
  scriptedLimit: {
    about: 'a 429 on a request to our nodes',
    reason: 'A rate limit must not hide the status that the check looks for.',
    times: 9,
    chance: 0.3,
    errorMax: 0.0002,
  },
  expectedText: {
    about: 'a text that differs from the one expected',
    reason: 'Models vary now and then: the text must differ more often than not, and the plain text never.',
    times: 11,
    wrongMin: 6,
    controls: { times: 11, wrongMax: 0 },
    chance: 0.3,
    errorMax: 0.002,
  },
  bothModes: {
    about: 'a difference between the texts of a reply and a stream',
    reason: 'If the model varies by chance, the texts agree in one of these rounds, or one of them is new.',
    times: 7,
    chance: 0.3,
    errorMax: 0.0003,
  },
  crowdText: {
    about: 'a stream among two hundred whose text differs from what its prompt gets by itself',
    reason:
      'Two of eight must be wrong in each of two crowds, while each prompt by itself gets the same text three times.',
    times: 8,
    wrongMin: 2,
    controls: { times: 24, wrongMax: 0 },
    chance: 0.05,
    errorMax: 0.02,
  },
  servedAfter: {
    about: 'a plain request that fails right after certain others',
    reason: 'Requests of other checks interfere, so two of eight plain ones may fail too.',
    times: 6,
    controls: { times: 8, wrongMax: 2 },
    chance: 0.5,
    errorMax: 0.003,
  },
  undisturbed: {
    about: 'a stream that breaks off with no other request of ours beside it',
    reason:
      'Bytes that a check sends on a socket of its own, or the requests of somebody else, may have come beside it.',
    times: 3,
    chance: 0.05,
    errorMax: 0.0002,
  },
  disturbed: {
    about: 'a stream that is over before another request can come beside it',
    reason: 'A text of chance may be short; a target that is too quick each time has nothing to interrupt.',
    times: 4,
    chance: 0.1,
    errorMax: 0.0002,
  },
  spoken: {
    about: 'a stream without text',
    reason: 'A model may say nothing now and then.',
    times: 5,
    chance: 0.1,
    errorMax: 0.0002,
  },
  interrupted: {
    about: 'a stream that ends in another way when a request comes while it runs',
    reason:
      'A text of chance ends by itself now and then, but not each time that somebody asks, and never when nobody does.',
    times: 4,
    controls: { times: 6, wrongMax: 0 },
    chance: 0.5,
    errorMax: 0.003,
  },
  brokenBesideLeft: {
    about: 'a stream that breaks off while others are left',
    reason: 'Undisturbed streams must never break off.',
    times: 3,
    controls: { times: 8, wrongMax: 0 },
    chance: 0.25,
    errorMax: 0.002,
  },
  lastRequest: {
    about: 'a plain request after all others',
    reason: 'A target that cuts at random needs more tries than a steady one.',
    times: 3,
    timesIfUnsteady: 9,
    chance: 0.05,
    errorMax: 0.0002,
  },
  slow: {
    about: 'a reply that is too slow, or a rate that is too low',
    reason: 'What is slow because the machine is busy is not slow each time.',
    times: 3,
    chance: 0.1,
    errorMax: 0.002,
  },
  stopRemembered: {
    about: 'a text that lacks what an earlier request stopped at',
    reason: 'It must be missing more often than not, and never after requests without a stop.',
    times: 4,
    wrongMin: 3,
    controls: { times: 10, wrongMax: 0 },
    chance: 0.2,
    errorMax: 0.003,
  },
  stopOverlooked: {
    about: 'a reply that says `length` although a stop sequence should have ended it',
    reason:
      'A model that varies may do without the sequence now and then: not each time, and never when it is not asked to stop.',
    times: 6,
    controls: { times: 6, wrongMax: 0 },
    chance: 0.34,
    errorMax: 0.0005,
  },
  stopKept: {
    about: 'a text of a model that varies, which lacks the character that an earlier request stopped at',
    reason: 'Any text may lack a character: it must be missing each time, and never after requests without a stop.',
    times: 6,
    controls: { times: 10, wrongMax: 0 },
    chance: 0.35,
    errorMax: 0.0001,
  },
  cutShort: {
    about: 'a very short text, because of a stop sequence that it does not hold',
    reason: 'A model that varies is now and then that brief: it must be so each time, and never without the sequence.',
    times: 8,
    controls: { times: 8, wrongMax: 0 },
    chance: 0.5,
    errorMax: 0.0001,
  },
  limitShows: {
    about: 'a reply of which it must show that its limit cut it off, from a model that varies in length',
    reason: 'A model that is brief every other time says enough in one of six replies.',
    times: 6,
    chance: 0.25,
    errorMax: 0.0005,
  },
  keyRefused: {
    about: 'a key that is refused though its limit is far away',
    reason: 'The limit of another key passes with time: one of three keys is let through.',
    times: 3,
    chance: 0.1,
    errorMax: 0.002,
  },
  letThrough: {
    about: 'one request with a key that no limit affects',
    reason: 'A refusal that is not about this key does not come five times.',
    times: 5,
    controls: { times: 2, wrongMax: 0 },
    chance: 0.5,
    errorMax: 0.01,
  },
  limitWindow: {
    about: 'requests that pass a limit that was used up',
    reason: 'A window that restarts during one attempt does not do so in the next.',
    times: 2,
    chance: 0.05,
    errorMax: 0.004,
  },
  limitPasses: {
    about: 'a refusal after the wait that `Retry-After` names',
    reason: 'A date has no fractions of a second, so a client may be told to wait once more.',
    times: 4,
    chance: 0.3,
    errorMax: 0.01,
  },
  firstNode: {
    about: 'whether the gateway asks the node that fails before the one that does not',
    reason: 'Which of two nodes is asked first may be chance, but not twenty times in a row.',
    times: 20,
    chance: 0.5,
    errorMax: 0.0001,
  },
  countAsLimit: {
    about: 'a token count that differs from the limit by as much as the count for another limit did',
    reason: 'Hidden tokens may vary from one reply to the next, but hardly by just as much as the limit, twice.',
    times: 3,
    chance: 0.05,
    errorMax: 0.0002,
  },
  relisted: {
    about: 'a list that lacks a model which answers',
    reason: 'A list may follow the nodes with a short delay.',
    times: 3,
    chance: 0.1,
    errorMax: 0.002,
  },
} as const satisfies Readonly<Record<string, Rule | UnsteadyRule>>

/** The rule for a target that is known to be steady, or not. */
export function ruleFor(rule: Rule & { readonly timesIfUnsteady: number }, isUnsteady: boolean): Rule {
  return isUnsteady ? { ...rule, times: rule.timesIfUnsteady } : rule
}
