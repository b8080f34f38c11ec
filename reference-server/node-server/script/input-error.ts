import type { Violation } from '../../validator.ts'

/** A script, timing or state given to a node is invalid. The message names the field and never its value. */
export class InputError extends Error {
  override readonly name = 'InputError'

  constructor(what: string, { where, problem }: Violation) {
    super(`${where ?? what} ${problem}.`)
  }
}
