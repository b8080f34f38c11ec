import { countOf } from '../../count.ts'
import type { CommandIo } from '../command.ts'
import { createLiveLine, type Screen } from './live-line.ts'

/** Counts the members of a set as they are done: to a person on a line that is rewritten, to a log in a line a minute. */
export interface Tally {
  /** One more is done. */
  count(name: string): void
  /** A line that stays: what a person would rather know at once than at the end. */
  keep(line: string): void
  end(): void
}

const everyMs = 60_000

/** `things` names one of the set's `total` members: `gateway`. */
export function createTally(
  total: number,
  things: string,
  io: Pick<CommandIo, 'live' | 'err'>,
  screen: Screen = process.stderr,
): Tally {
  let done = 0
  if (io.live) {
    const line = createLiveLine(screen)
    return {
      count(name) {
        done += 1
        line.show(`${done}/${total} ${name}`)
      },
      keep: line.keep,
      end: line.end,
    }
  }
  const startMs = performance.now()
  const say = (): void => io.err(`${done} of ${countOf(total, things)}, ${secondsSince(startMs)} s`)
  const timer = setInterval(say, everyMs).unref()
  return {
    count() {
      done += 1
    },
    keep: io.err,
    end: () => clearInterval(timer),
  }
}

function secondsSince(startMs: number): number {
  return Math.round((performance.now() - startMs) / 1000)
}
