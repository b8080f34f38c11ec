/** A bounded number of places. `await enter()` takes one and returns the function that gives it back. */
export type Semaphore = () => Promise<() => void>

export function createSemaphore(places: number): Semaphore {
  let free = places
  const waiting: (() => void)[] = []
  const leave = (): void => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
  return async () => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    return leave
  }
}

/** A bounded number of places that go to the lowest rank among those that wait, and there to whoever came first. */
export type RankedSemaphore = (rank: number) => Promise<() => void>

export function createRankedSemaphore(places: number): RankedSemaphore {
  let free = places
  let isDue = false
  const waiting: { readonly rank: number; readonly begin: () => void }[] = []
  const grant = (): void => {
    isDue = false
    for (; free > 0 && waiting.length > 0; free -= 1) waiting.shift()?.begin()
  }
  // A turn later: of those that come at one moment, the lowest rank goes first whatever their order.
  const grantSoon = (): void => {
    if (!isDue) setImmediate(grant)
    isDue = true
  }
  return async (rank) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const place = waiting.findIndex((other) => other.rank > rank)
    waiting.splice(place === -1 ? waiting.length : place, 0, { rank, begin: resolve })
    grantSoon()
    await promise
    return () => {
      free += 1
      grantSoon()
    }
  }
}
