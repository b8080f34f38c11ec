/** How a request can end. Every request that was sent ends in exactly one of these ways. */
export const outcomes = [
  'ok',
  'httpOther',
  'http4xx',
  'http429',
  'http503',
  'http5xx',
  'connect',
  'reset',
  'truncated',
  'noDone',
  'inBandError',
  'framing',
  'schema',
  'headTimeout',
  'firstContentTimeout',
  'idleTimeout',
  'totalTimeout',
  'abortedByUs',
  'abandoned',
] as const

export type Outcome = (typeof outcomes)[number]

/** How many requests were sent, and how they ended: `sent` is the sum of all the others. */
export type Outcomes = { readonly sent: number } & Readonly<Record<Outcome, number>>

/** Each outcome in words. */
export const meaning: Readonly<Record<Outcome, string>> = {
  ok: 'a complete reply that keeps the contract',
  httpOther: 'a status that is neither 200 nor an error',
  http4xx: 'refused as a client error',
  http429: 'refused by a limit',
  http503: 'no operator node available',
  http5xx: 'a server error',
  connect: 'no connection',
  reset: 'the connection was reset before the end',
  truncated: 'the connection was closed before the end',
  noDone: 'the stream ended without [DONE]',
  inBandError: 'an error within the stream',
  framing: 'bytes that are not HTTP or not an event stream',
  schema: 'data that is not a valid reply, or not chunks of one completion',
  headTimeout: 'no status in time',
  firstContentTimeout: 'no first content in time',
  idleTimeout: 'silence within the reply',
  totalTimeout: 'not complete in time',
  abortedByUs: 'left by the client, as planned',
  abandoned: 'still running when the drain time was over',
}

export function statusOutcome(status: number): Outcome | undefined {
  if (status === 200) return undefined
  if (status === 429) return 'http429'
  if (status === 503) return 'http503'
  if (status >= 500) return 'http5xx'
  return status >= 400 ? 'http4xx' : 'httpOther'
}

export function sumOutcomes(parts: readonly Outcomes[]): Outcomes {
  const sum = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<Outcome, number>
  let sent = 0
  for (const part of parts) {
    sent += part.sent
    for (const outcome of outcomes) sum[outcome] += part[outcome]
  }
  return { sent, ...sum }
}
