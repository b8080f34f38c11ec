import { setTimeout as sleep } from 'node:timers/promises'

/** Lets a bounded number of requests go at once, none before a `Retry-After` has passed, and fewer after a limit was met. */
export interface Pacer {
  /**
   * Resolves when a request may go; the returned function gives the place back. Waits no longer than the run lasts. `alone`
   * goes before all that wait, when no other is in flight. Where time is short, the request of the cheapest check goes next, so that
   * only a few checks are left undecided.
   */
  enter(remainingMs: () => number, alone?: boolean, allMs?: number): Promise<() => void>
  /** A request met a limit: none goes for this long, and later ones keep a greater distance. */
  limited(retryAfterMs: number): void
  /** A request that still holds its place met a limit, perhaps one on requests at once: one fewer goes. */
  crowded(): void
  /** A request met no limit: the distance shrinks, and places come back. */
  passed(): void
  /** From now on so many may go at once, unless a limit was met. */
  widen(places: number): void
  /** The most that may go at once while no limit is met. */
  readonly placesMost: number
  /** Time is short: from now on what takes the least goes first. */
  leastFirst(): void
  readonly isLeastFirst: boolean
  /** From now on no two requests go at once either. */
  oneAtATime(): void
  readonly isOneAtATime: boolean
}

/** Milliseconds between requests after the first limit, the factors by which they grow and shrink, and their bounds. */
const distance = { firstMs: 20, grow: 1.5, shrink: 0.97, leastMs: 4, mostMs: 2000 }
/** The part of a place that each request without a limit gives back: small, so that few requests try the limit again. */
const placesBack = 0.02
/** All of what takes no longer is over before anything long is. */
const littleMs = 2000

/** How long after one request the next may go. */
function createSpacing() {
  let notBefore = 0
  let distanceMs = 0
  return {
    waitMs: (): number => notBefore - performance.now(),
    gone(): void {
      notBefore = performance.now() + distanceMs
    },
    limited(ms: number): void {
      notBefore = Math.max(notBefore, performance.now() + ms)
      distanceMs = Math.min(distance.mostMs, Math.max(distance.firstMs, distanceMs * distance.grow))
    },
    passed(): void {
      distanceMs = distanceMs < distance.leastMs ? 0 : distanceMs * distance.shrink
    },
  }
}

interface Waiting {
  readonly go: () => void
  readonly alone: boolean
  readonly allMs: number
}

/** What goes alone goes first; where time is short, what takes the least comes before the rest. */
function lineUp(waiting: Waiting[], next: Waiting, isLeastFirst: boolean): void {
  const place = isLeastFirst ? waiting.findIndex(({ alone, allMs }) => !alone && allMs > next.allMs) : -1
  if (next.alone) waiting.unshift(next)
  else waiting.splice(place === -1 ? waiting.length : place, 0, next)
}

export function createPacer(concurrency: number): Pacer {
  const waiting: Waiting[] = []
  let placesMost = concurrency
  let places = placesMost
  let inFlight = 0
  let isTaken = false
  let isOneAtATime = false
  let isLeastFirst = false
  const spacing = createSpacing()
  const waitMs = (remainingMs: () => number): number => Math.min(spacing.waitMs(), remainingMs())
  /** One place is left to what takes little: it would wait for the end of what takes long. */
  const placesFor = ({ allMs }: Waiting): number =>
    Math.floor(places) - (isLeastFirst && allMs > littleMs && places >= 2 ? 1 : 0)
  const admit = (): void => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (isTaken || (next.alone ? inFlight > 0 : inFlight >= placesFor(next))) return
      waiting.shift()
      inFlight += 1
      isTaken = next.alone
      next.go()
    }
  }
  const leave = (): void => {
    inFlight -= 1
    isTaken = false
    admit()
  }
  return {
    async enter(remainingMs, alone = false, allMs = 0) {
      await new Promise<void>((go) => {
        lineUp(waiting, { go, alone, allMs }, isLeastFirst)
        admit()
      })
      // Another answer may move this moment while we wait.
      for (let ms = waitMs(remainingMs); ms > 0; ms = waitMs(remainingMs)) await sleep(ms)
      spacing.gone()
      return leave
    },
    limited: spacing.limited,
    crowded() {
      places = Math.max(1, Math.min(places, inFlight - 1))
    },
    passed() {
      spacing.passed()
      places = Math.min(placesMost, places + placesBack)
    },
    widen(most) {
      if (places === placesMost) places = most
      placesMost = most
    },
    get placesMost() {
      return placesMost
    },
    leastFirst() {
      isLeastFirst = true
    },
    get isLeastFirst() {
      return isLeastFirst
    },
    oneAtATime() {
      isOneAtATime = true
      isLeastFirst = true
      placesMost = 1
      places = 1
    },
    get isOneAtATime() {
      return isOneAtATime
    },
  }
}
