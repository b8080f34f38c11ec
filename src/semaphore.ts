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
