import { HarnessError } from '../harness-error.ts'

/** Why a server of ours does not start; the address of a port that is taken is in the system's own words. */
export function cannotStart(what: string, error: unknown): HarnessError {
  const reason = error instanceof Error ? error.message : String(error)
  const [, address] = /address already in use (\S+)/.exec(reason) ?? []
  if (address !== undefined) return new HarnessError('port-taken', `${what} cannot start: ${address} is in use.`)
  return new HarnessError('cannot-start', `${what} cannot start: ${reason.replace(/\.$/, '')}.`)
}
