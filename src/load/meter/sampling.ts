import type { Flight } from './flight.ts'

/** Which of the chunks that differ from their stream's template are parsed. */
export interface Sampling {
  /** The share of content chunks, from 0 to 1. The first few of each stream, and all chunks without content, always are. */
  readonly share: number
  /** From 0 up to but not 1. */
  draw(): number
  /** Called with the text of each content event, and when it was read. */
  readonly onContent?: (text: string, atMs: number, flight: Flight) => void
}
