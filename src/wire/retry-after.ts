/** No wait that a server asks for is longer than this to us: a run has its own time. */
export const retryAfterMsMax = 15_000

/** `Retry-After` in milliseconds (RFC 9110 10.2.3: seconds or a date); undefined when it is neither. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
