const dayMs = 86_400_000
const hourMs = 3_600_000
let latest = { day: Number.NaN, text: '' }

/** The UTC day of a moment in milliseconds since 1970, as `2026-11-21`. The latest one is kept, because charges ask for it all day. */
export function dayOf(unixMs: number): string {
  const day = Math.floor(unixMs / dayMs)
  if (day !== latest.day) latest = { day, text: new Date(unixMs).toISOString().slice(0, 10) }
  return latest.text
}

/** The UTC hour of a moment in milliseconds since 1970, as `2026-11-21 05:00`. */
export function hourOf(unixMs: number): string {
  const begin = Math.floor(unixMs / hourMs) * hourMs
  return new Date(begin).toISOString().slice(0, 16).replace('T', ' ')
}
