/** What a run had neither time nor requests for. */
export interface Unasked {
  /** Checks that could not be decided for that reason, and how many of them are `must` and need no option: these make a run incomplete. */
  readonly checks: number
  readonly must: number
  readonly reason: string
  /** The option that would do. */
  readonly advice?: string
}

export function inWords({ checks, must, reason, advice }: Unasked): string {
  const count = `${checks} ${checks === 1 ? 'check was' : 'checks were'} not decided, ${must} of them required`
  return `${reason}; ${count}${advice === undefined ? '' : `. ${advice}`}`
}
