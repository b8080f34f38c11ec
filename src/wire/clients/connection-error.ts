import type { Ending } from '../transcript.ts'

/** How an exchange ended that failed before the head: a connection that was never made, or one that was cut. */
export function endingBeforeHead(error: unknown): Ending {
  const code = errorCode(error)
  const neverConnected = [
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'UND_ERR_CONNECT_TIMEOUT',
  ]
  return neverConnected.includes(code) || /CERT|SSL|TLS|SELF_SIGNED/.test(code) ? 'unreachable' : 'reset'
}

function errorCode(error: unknown): string {
  if (error instanceof AggregateError) return errorCode(error.errors[0])
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Its code, where it has one, and its words. */
export function describe(error: unknown): string {
  const code = errorCode(error)
  const message = error instanceof Error ? error.message : String(error)
  return [code, message].filter((part) => part !== '').join(': ')
}
