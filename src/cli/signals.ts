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
