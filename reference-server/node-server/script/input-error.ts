import type { Departure } from '../../validator.ts'

/** A script, a timing or a state that somebody gave a node is not one. The message names the field and never its value. */
export class InputError extends Error {
  override readonly name = 'InputError'

  constructor(what: string, { where, problem }: Departure) {
    super(`${where ?? what} ${problem}.`)
  }
}
