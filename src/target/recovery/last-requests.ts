/** How a request ended: with a reply, with what is none and yet no refusal, with a refusal, or without an answer. */
export type RequestEnd = 'served' | 'answered' | 'refused' | 'lost'

/** What a target was asked when it fell silent, or when it began to refuse whatever it is asked. */
export interface LastRequests {
  /** A request goes. The result is called when it ended. */
  begin(name: string): (end: RequestEnd) => void
  /** Those that were under way when the first of them was lost; empty while the target answers. */
  beforeSilence(): readonly string[]
  /** The first of those that were refused since the last one went that was served, in the order of their answers. */
  sinceServed(): readonly string[]
  /** When the first of those was refused, in milliseconds since 1970. */
  refusedSinceMs(): number | undefined
  /** How many were served so far. */
  served(): number
}

/** As many as may be under way at once: one of them did it, and the others met it. */
const refusedMax = 8

/** Any of the requests under way may have stopped it: which of them did is not to be seen from here. */
export function createLastRequests(): LastRequests {
  const underWay = new Set<{ readonly name: string }>()
  let before: readonly string[] = []
  let refused: readonly { readonly name: string; readonly turn: number; readonly atMs: number }[] = []
  let turns = 0
  let served = 0
  return {
    begin(name) {
      const own = { name }
      const begunAt = turns
      underWay.add(own)
      return (end) => {
        if (end !== 'lost') before = []
        else if (before.length === 0) before = [...new Set([...underWay].map((request) => request.name))]
        turns += 1
        if (end === 'served') served += 1
        // One that went before a refusal, and is served behind it, does not show that others are.
        if (end === 'served') refused = refused.filter(({ turn }) => turn > begunAt)
        else if (end !== 'answered' && refused.length < refusedMax && !refused.some((one) => one.name === name))
          refused = [...refused, { name, turn: turns, atMs: Date.now() }]
        underWay.delete(own)
      }
    },
    beforeSilence: () => before,
    sinceServed: () => refused.map(({ name }) => name),
    refusedSinceMs: () => refused[0]?.atMs,
    served: () => served,
  }
}
