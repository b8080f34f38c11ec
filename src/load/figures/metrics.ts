import type { Flight } from '../meter/flight.ts'

/** A metric of one request, in milliseconds; NaN if the request has no such value. */
export interface Metric {
  readonly formula: string
  readonly about: string
  /** Absent for `gap`, of which a request has many. `startAtMs` is the send, or the intended start. */
  readonly of?: (flight: Flight, startAtMs: number, largestGapMs: number) => number
  /** Whether it counts from the start, and so differs between the send and the intended start. */
  readonly fromStart: boolean
}

/** Tokens of the completion as the reply counts them, or else its content events. */
export function tokensOf({ completionTokens, contentEvents }: Flight): number {
  return Number.isNaN(completionTokens) ? contentEvents : completionTokens
}

/** `itl` counts content events and `tpot` tokens: they differ where an event carries several tokens. */
export const metrics = {
  ttfb: {
    formula: 'head − start',
    about: 'time to the status and headers',
    of: (flight, startAtMs) => flight.headAtMs - startAtMs,
    fromStart: true,
  },
  ttfc: {
    formula: 'first event − start',
    about: 'time to the first chunk, content or not',
    of: (flight, startAtMs) => flight.firstEventAtMs - startAtMs,
    fromStart: true,
  },
  ttft: {
    formula: 'first content − start',
    about: 'time to the first token: the first non-empty content',
    of: (flight, startAtMs) => flight.firstContentAtMs - startAtMs,
    fromStart: true,
  },
  ttst: {
    formula: 'second content − first content',
    about: 'time to the second token',
    of: (flight) => flight.secondContentAtMs - flight.firstContentAtMs,
    fromStart: false,
  },
  gap: {
    formula: 'content − previous content, for each',
    about: 'inter-token latency, gap by gap',
    fromStart: false,
  },
  itl: {
    formula: '(last content − first content) / (content events − 1)',
    about: 'mean gap of a request',
    of: (flight) => (flight.lastContentAtMs - flight.firstContentAtMs) / (flight.contentEvents - 1),
    fromStart: false,
  },
  tpot: {
    formula: '(last content − first content) / (completion tokens − 1)',
    about: 'time per output token after the first',
    of: (flight) => (flight.lastContentAtMs - flight.firstContentAtMs) / (tokensOf(flight) - 1),
    fromStart: false,
  },
  stall: {
    formula: 'largest gap of a request',
    about: 'longest silence within the text',
    of: (flight, _, largestGapMs) => (flight.contentEvents > 1 ? largestGapMs : Number.NaN),
    fromStart: false,
  },
  tail: {
    formula: '[DONE] − last content',
    about: 'time from the end of the text to [DONE]',
    of: (flight) => flight.doneAtMs - flight.lastContentAtMs,
    fromStart: false,
  },
  e2e: {
    formula: 'end − start',
    about: 'the whole reply, to [DONE] or the end of the body',
    of: (flight, startAtMs) => (Number.isNaN(flight.doneAtMs) ? flight.endedAtMs : flight.doneAtMs) - startAtMs,
    fromStart: true,
  },
} as const satisfies Readonly<Record<string, Metric>>

export type MetricName = keyof typeof metrics

export const metricNames = Object.keys(metrics) as readonly MetricName[]

/** `service`, from the send: how long the gateway took. `response`, from the intended start: how long a user who came then waited. */
export type View = 'service' | 'response'

export function isMetric(name: string): name is MetricName {
  return name in metrics
}
