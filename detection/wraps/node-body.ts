import { NodeFailure } from '../../reference-server/network/node-failure.ts'

/** Reads the bytes of a node as text. Cut inside a character, they lose it. */
export const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Changes what is ASCII in the bytes of a node. */
export function respelling(from: string | RegExp, to: string): (bytes: Uint8Array) => Uint8Array {
  return (bytes) => Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll(from, to), 'latin1')
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
    if (text.includes('[DONE]') && !text.includes(word) && !text.includes(or))
      throw new NodeFailure('broken', `${word} is missing`)
    yield bytes
  }
}
