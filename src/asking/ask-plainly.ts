import type { CheckContext } from '../check/context.ts'
import { Mismatch } from '../check/expect.ts'
import { type Answer, isSuccess } from '../target/answer.ts'

/** The reply to the plain request. Of a server that refuses only its limit, the failure says so. */
export async function askPlainly({ ask, probe }: CheckContext): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof Mismatch) || error.saw.noReply !== 'refused') throw error
    if (!isSuccess(await probe({ max_tokens: undefined }))) throw error
    throw new Mismatch({ ...error.saw, what: 'answer to a request with max_tokens, without which it is served' })
  }
}
