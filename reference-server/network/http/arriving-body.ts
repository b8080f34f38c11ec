import type { ReadyIterator } from '../node.ts'

/** How a body is held back while its reader is slower than its sender, and left. */
interface Source {
  pause(): void
  resume(): void
  /** Nobody reads on. */
  leave(): void
}

/** More than this is left with the sender until it is read. */
const HELD_BYTES_MAX = 65_536

const over: IteratorReturnResult<undefined> = { done: true, value: undefined }

/** A body while it arrives: its pieces in order, then its end or what broke it off. It has one reader. */
export class ArrivingBody implements ReadyIterator<Uint8Array> {
  readonly #source: Source
  #pieces: Uint8Array[] = []
  #heldBytes = 0
  #end: { readonly error?: unknown } | undefined
  #wake: (() => void) | undefined

  constructor(source: Source) {
    this.#source = source
  }

  push(bytes: Uint8Array): void {
    this.#pieces.push(bytes)
    this.#heldBytes += bytes.length
    if (this.#heldBytes > HELD_BYTES_MAX) this.#source.pause()
    this.#wake?.()
  }

  end(): void {
    this.#end = {}
    this.#wake?.()
  }

  /** What has arrived is still read. */
  breakOff(error: unknown): void {
    this.#end = { error }
    this.#wake?.()
  }

  takeReady(): IteratorResult<Uint8Array, undefined> | undefined {
    const piece = this.#pieces.shift()
    if (piece === undefined) return this.#end !== undefined && !('error' in this.#end) ? over : undefined
    const wasFull = this.#heldBytes > HELD_BYTES_MAX
    this.#heldBytes -= piece.length
    if (wasFull && this.#heldBytes <= HELD_BYTES_MAX) this.#source.resume()
    return { done: false, value: piece }
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const ready = this.takeReady()
      if (ready !== undefined) return ready
      if (this.#end !== undefined) throw this.#end.error
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    if (this.#end === undefined) this.#source.leave()
    this.#pieces = []
    return over
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
