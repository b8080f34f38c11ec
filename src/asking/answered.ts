import type { Answer } from '../target/answer.ts'

/** What came back to a request that is sent once more where nothing did: a cut says nothing of a limit or a key. */
export async function answered<A extends Answer>(ask: () => Promise<A>): Promise<A> {
  const answer = await ask()
  return answer.status === undefined ? ask() : answer
}
