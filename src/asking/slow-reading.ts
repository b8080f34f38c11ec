import type { CheckContext } from '../check/context.ts'
import { Departure } from '../check/expect.ts'
import type { ChatBody } from '../target/chat.ts'

/**
 * Asks with a prompt of so many bytes. Silence on it is held against the target only where a tenth of the prompt shows
 * that it reads fast enough: one that reads slowly is undecidable.
 */
export async function askAtLength<A>(
  { probe, undecidable }: Pick<CheckContext, 'probe' | 'undecidable'>,
  ask: (body: ChatBody) => Promise<A>,
  bodyOf: (bytes: number) => ChatBody,
  bytes: number,
): Promise<A> {
  try {
    return await ask(bodyOf(bytes))
  } catch (error) {
    if (!(error instanceof Departure) || error.exchange?.ending !== 'timeout') throw error
    const tenth = await probe(bodyOf(bytes / 10))
    if (tenth.exchange.endedAtMs * 10 * 2 < error.exchange.endedAtMs) throw error
    const tookS = (tenth.exchange.endedAtMs / 1000).toFixed(1)
    throw undecidable(`a prompt of ${bytes / 10} bytes takes ${tookS} s: one of ${bytes} takes longer than a run waits`)
  }
}
