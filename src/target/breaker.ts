import type { Ending } from '../wire/transcript.ts'
import { Unsettled } from './unsettled.ts'

/** Stops asking a target that no longer answers, which would use up the time of the run. */
export interface Breaker {
  /** Throws `Unsettled` where asking would only wait again; lets one request through now and then, to see. */
  admit(): void
  note(ending: Ending): void
}

/** More silences in a row than requests can have been in flight when a target stopped. */
const silencesMax = 24
const tryAgainMs = 2000

export function createBreaker(now: () => number = () => performance.now()): Breaker {
  let silences = 0
  let triedAt = 0
  return {
    admit() {
      if (silences < silencesMax) return
      if (now() - triedAt < tryAgainMs) throw new Unsettled('target', 'the gateway has stopped answering')
      triedAt = now()
    },
    note(ending) {
      silences = ending === 'timeout' || ending === 'unreachable' ? silences + 1 : 0
    },
  }
}
