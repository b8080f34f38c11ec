import type { ChatBody } from '../target/chat.ts'
import type { Prepared } from '../target/prepare.ts'

/** Names that a router lists for whichever model it chooses. */
const aliases = /(^|[/:])(default|auto)$/i

/**
 * The model that a reply has to name: the one that was asked for; after an alias, the one that was used. A list of both
 * `north/small` and `small` offers one model twice: as a provider's, and as whichever provider's.
 */
export function modelDue(asked: ChatBody, said: unknown, { roster }: Prepared): unknown {
  const due = String(asked['model'])
  if (typeof said !== 'string') return due
  const isSameModel = due.endsWith(`/${said}`) && roster.some(({ id }) => id === said)
  return isSameModel || aliases.test(due) ? said : due
}
