/** The UTC day of a moment in milliseconds since 1970, as `2026-11-21`. */
export function dayOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 10)
}
