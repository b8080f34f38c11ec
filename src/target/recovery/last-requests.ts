/** What a target was asked when it fell silent. */
export interface LastRequests {
  /** A request goes. The result is called when it ended, and told whether a whole answer came. */
  begin(name: string): (isAnswered: boolean) => void
  /** Those that were under way when the first of them was lost; empty while the target answers. */
  beforeSilence(): readonly string[]
}

/** Any of the requests under way may have stopped it: which of them did is not to be seen from here. */
export function createLastRequests(): LastRequests {
  const underWay = new Set<{ readonly name: string }>()
  let before: readonly string[] = []
  return {
    begin(name) {
      const own = { name }
      underWay.add(own)
      return (isAnswered) => {
        if (isAnswered) before = []
        else if (before.length === 0) before = [...new Set([...underWay].map((request) => request.name))]
        underWay.delete(own)
      }
    },
    beforeSilence: () => before,
  }
}
