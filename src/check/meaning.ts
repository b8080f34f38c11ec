import type { Check } from './check.ts'
import type { Mismatch, NoReply } from './expect.ts'
import type { Failure } from './verdict.ts'

/** What any check says of an answer that it could not look into. */
const withoutReply: Readonly<Record<NoReply, string>> = {
  refused: 'A valid request was not served.',
  'broken-off': 'An answer did not come to its end.',
  unanswered: 'A request got no answer.',
}

/** What a failure means: the check's own sentence, unless that does not hold where no whole reply came. */
export function meaningOf(
  { wrong, coversNoReply = false }: Pick<Check, 'wrong' | 'coversNoReply'>,
  { noReply }: Pick<Mismatch, 'noReply'>,
): Pick<Failure, 'wrong'> {
  if (noReply !== undefined && !coversNoReply) return { wrong: withoutReply[noReply] }
  return wrong === undefined ? {} : { wrong }
}
