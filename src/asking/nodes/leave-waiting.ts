import type { CheckContext } from '../../check/context.ts'
import { type ChatBody, chatPath, chatText } from '../../target/chat.ts'
import type { Play } from './scripted-nodes.ts'

/** Long enough that the gateway has asked the node. */
const workMs = 600
const noticedWithinMs = 5000

/** A client that leaves before anything has come, while our node is at work. Resolves to how its request ended at the node. */
export async function endingAfterLeaving(
  { nodes, converse, rawHead, target, undecidable }: CheckContext,
  { id, prompt }: Play,
  body: ChatBody = {},
): Promise<string | undefined> {
  const text = chatText(nodes.model, { messages: [{ role: 'user', content: prompt }], max_tokens: 4000, ...body })
  const key = target.config.keys.main
  const head = rawHead('POST', chatPath, [
    ['Content-Type', 'application/json'],
    ['Content-Length', String(Buffer.byteLength(text))],
    ...(key === undefined ? [] : ([['Authorization', `Bearer ${key}`]] as const)),
  ])
  const [asked] = await Promise.all([
    nodes.recordsWhen(id, noticedWithinMs, (records) => records.length > 0),
    converse([head + text, { pauseMs: workMs }, { leave: true }], () => false),
  ])
  if (asked.length === 0) throw undecidable('the gateway had not asked the node when the client left')
  const [seen] = await nodes.recordsWhen(id, noticedWithinMs, (records) =>
    records.some(({ outcome }) => outcome !== 'under-way'),
  )
  return seen?.outcome
}
