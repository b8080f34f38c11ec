/** How heavy the first things together may be, and the last ones. */
export interface EndsMax {
  readonly first: number
  readonly last: number
}

/** The first and the last of any number of things. The very last one is always among them. */
export interface Ends<T> {
  push(item: T): void
  first(): readonly T[]
  last(): readonly T[]
}

const compactAt = 1024

/** Keeps both ends within their weights; `onDropped` gets what falls between them, in order. */
export function keepEnds<T>(most: EndsMax, weightOf: (item: T) => number, onDropped: (item: T) => void): Ends<T> {
  const first: T[] = []
  let last: T[] = []
  /** How many of `last` were dropped and are still in the array. */
  let gone = 0
  let room = most.first
  let lastWeight = 0

  function dropBeyond(): void {
    while (lastWeight > most.last && gone + 1 < last.length) {
      const [item] = last.slice(gone, gone + 1)
      gone += 1
      if (item === undefined) continue
      lastWeight -= weightOf(item)
      onDropped(item)
    }
    if (gone < compactAt) return
    last = last.slice(gone)
    gone = 0
  }

  return {
    push(item) {
      const weight = weightOf(item)
      // Once one thing did not fit, all later ones belong to the other end.
      if (last.length === 0 && weight <= room) {
        first.push(item)
        room -= weight
        return
      }
      last.push(item)
      lastWeight += weight
      dropBeyond()
    },
    first: () => first,
    last: () => (gone === 0 ? last : last.slice(gone)),
  }
}
