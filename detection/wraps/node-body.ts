import { setTimeout } from 'node:timers/promises'
import { NodeFailure } from '../../reference-server/network/node-failure.ts'

/** Reads the bytes of a node as text. Cut inside a character, they lose it. */
export const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Changes what is ASCII in the bytes of a node. */
export function respelling(from: string | RegExp, to: string): (bytes: Uint8Array) => Uint8Array {
  return (bytes) => Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll(from, to), 'latin1')
}

/** The body of a node without the events that begin like this, if they come after its first words. */
export async function* withoutEvents(body: AsyncIterable<Uint8Array>, start: RegExp) {
  let hasSpoken = false
  const isKept = (event: string): boolean => {
    const isLeftOut = hasSpoken && start.test(event)
    hasSpoken ||= /"content":"[^"]/.test(event)
    return !isLeftOut
  }
  for await (const bytes of body) {
    // As Latin-1 every byte is a letter: one that a character was split at comes through unchanged.
    const events = Buffer.from(bytes)
      .toString('latin1')
      .split(/(?<=\n\n)/)
    yield new Uint8Array(Buffer.from(events.filter(isKept).join(''), 'latin1'))
  }
}

/** Fails at bytes of a node that hold two words at once. */
export function failingOn(word: string, beside: string): (bytes: Uint8Array) => Uint8Array {
  return (bytes) => {
    const text = decode(bytes)
    if (text.includes(word) && text.includes(beside)) throw new NodeFailure('broken', `${word} was not expected`)
    return bytes
  }
}

/** Fails at the end of a body that never held a word, unless it held another one. */
export async function* failingWithout(body: AsyncIterable<Uint8Array>, word: string, or: string) {
  let text = ''
  for await (const bytes of body) {
    text += decode(bytes)
    if (/^data: ?\[DONE\]$/m.test(text) && !text.includes(word) && !text.includes(or))
      throw new NodeFailure('broken', `${word} is missing`)
    yield bytes
  }
}

/** The pieces of a body as a reader meets them who looks no more often than this: what arrives in between is one read. */
export async function* readsOf(body: AsyncIterable<Uint8Array>, withinMs: number) {
  const source = body[Symbol.asyncIterator]()
  try {
    for (let next = started(source); ; ) {
      const first = await next
      if (first.done) return
      const read = [first.value]
      const over = setTimeout(withinMs)
      next = started(source)
      for (let more = await Promise.race([next, over]); more !== undefined && !more.done; ) {
        read.push(more.value)
        next = started(source)
        more = await Promise.race([next, over])
      }
      yield new Uint8Array(Buffer.concat(read))
    }
  } finally {
    await source.return?.()
  }
}

/** The next piece, whose failure may be looked at later. */
function started(source: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array, undefined>> {
  const next = source.next()
  next.catch(() => undefined)
  return next
}
