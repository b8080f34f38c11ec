import type { Draw } from '../draw.ts'
import type { Surface } from './honest-answer.ts'
import type { Answering } from './server.ts'

/** What a server does with the requests of some surfaces from some request on; until then, and to all others, it is honest. */
export interface Behaviour {
  readonly about: string
  readonly family: string
  /** What it is, with all that chance chose. */
  readonly name: string
  readonly surfaces: readonly Surface[]
  readonly from: number
  readonly isTls: boolean
  readonly clockJumps: boolean
  readonly spoil: (answering: Answering) => Promise<void> | void
}

/** One kind of spoilt answer; chance chooses what is left open in it. */
export interface Kind {
  readonly about: string
  /** Where it can be; everywhere unless said. */
  readonly surfaces?: readonly Surface[]
  readonly isTls?: true
  /** Whether the clock of the machine that the command runs on jumps meanwhile. */
  readonly clockJumps?: true
  make(draw: Draw): { readonly how?: string; readonly spoil: Behaviour['spoil'] }
}
