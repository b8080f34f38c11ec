import type { Call } from '../../reference-server/gateway/seams.ts'
import type { Words } from './relay.ts'

/** Words of a node that goes on when the client has left. `onLeft` is told how many fragments had come by then. */
export function workedOn(words: Words, { left }: Call, onLeft: (fragments: number) => void = () => {}): Words {
  let fragments = 0
  left.addEventListener('abort', () => {
    onLeft(fragments)
    void drain(words)
  })
  return {
    async next() {
      const step = await words.next()
      fragments += 1
      return step
    },
    return: async (value) => ({ done: true, value: await value }),
    throw: (error) => words.throw(error),
    [Symbol.asyncIterator]: () => words,
    [Symbol.asyncDispose]: async () => {},
  }
}

/** Reads the words of a node to their end, for nobody. */
export async function drain(words: AsyncGenerator): Promise<void> {
  try {
    while ((await words.next()).done !== true);
  } catch {
    // The node may fail now: nobody waits for its reply.
  }
}
