import type { CommandIo } from './command.ts'
import { onSignals } from './signals.ts'

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
