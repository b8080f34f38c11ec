import type { Flight } from './flight.ts'

/** Which of the chunks that differ from their stream's template are parsed: all of them, or a share. */
export interface Sampling {
  /** Of content chunks, from 0 to 1. The first few of each stream, and all that are not content, always are. */
  readonly share: number
  /** From 0 up to but not 1. */
  draw(): number
  /** Told the text of each content event, and when it was read. */
  readonly onContent?: (text: string, atMs: number, flight: Flight) => void
}
