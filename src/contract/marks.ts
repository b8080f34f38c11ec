/**
 * What a statement rests on: this contract alone, the chat-completions format, HTTP, or server-sent events. Any server that
 * speaks the format claims the last three.
 */
export const bases = ['contract', 'format', 'http', 'events'] as const
export type Basis = (typeof bases)[number]

/** What is hurt where a statement is broken, the gravest first. */
export const gravities = ['service', 'data', 'security', 'framing', 'shape', 'validation'] as const
export type Gravity = (typeof gravities)[number]

/** The marks of a statement that can be judged. */
export interface Marks {
  readonly basis: Basis
  readonly gravity: Gravity
}
