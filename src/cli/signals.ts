import type { CommandIo } from './command.ts'

/** npm passes on what the terminal sends anyway: a signal that follows the first one so soon is the same key press. */
const sameMs = 300

/** Calls `first` at the first SIGINT or SIGTERM, and `again` at each later one, until the process ends. */
export function onSignals(first: () => void, again: () => void): void {
  let firstAtMs: number | undefined
  const take = (): void => {
    if (firstAtMs === undefined) {
      firstAtMs = performance.now()
      first()
    } else if (performance.now() - firstAtMs > sameMs) again()
  }
  process.on('SIGINT', take)
  process.on('SIGTERM', take)
}

/** How a command is stopped from outside. */
export interface Stopping {
  /** Aborts at the first signal: the command ends in good order. */
  readonly signal: AbortSignal
  /** Takes down what is open on the target now. */
  readonly note: (open: readonly string[]) => void
}

/** The first signal asks the command to end, and `said` tells the user how; the next one ends it and says what stays open. */
export function stopOnSignal(io: CommandIo, said: string): Stopping {
  const stop = new AbortController()
  let open: readonly string[] = []
  onSignals(
    () => {
      stop.abort()
      io.err(`Stopping: ${said} (Ctrl-C again leaves at once).`)
    },
    () => {
      io.err(open.length === 0 ? 'Nothing is left open.' : `Left open on the target:\n  ${open.join('\n  ')}`)
      io.leave(130)
    },
  )
  return {
    signal: stop.signal,
    note(all) {
      open = all
    },
  }
}
