import type { CheckContext } from '../../check/context.ts'
import { type Answer, hasErrorFrame, isStream, isSuccess, type StreamAnswer } from '../../target/answer.ts'
import type { ChatBody } from '../../target/chat.ts'
import type { NodeScript } from '../../target/nodes.ts'

/** One request that followed a script, for the checks that look at all of them at the end of a run. */
export interface Played {
  /** Of the script. */
  readonly id: string
  readonly scripts: readonly NodeScript[]
  readonly asked: ChatBody
  /** Whether the client left before the end. */
  readonly left: boolean
  /** Absent as long as it is under way. */
  answer?: Answer | StreamAnswer
}

/** Every request of the run that followed a script, in the order in which they were sent. */
export function playedSoFar({ once }: CheckContext): Promise<Played[]> {
  return once('requests that followed a script', async () => [])
}

/** What a client must find in a reply to a scripted request; what is absent is not known. */
export interface ExpectedReply {
  readonly text?: string
  /** What the text is the beginning of, where a limit may have cut it. */
  readonly longText?: string
  readonly finishReason?: string
  readonly model?: string
  /** Characters of the prompt and of the reply, where tokens can be held against them. */
  readonly chars?: { readonly prompt: number; readonly reply: number }
}

/** What the script says of a whole reply; undefined where there is none. */
export function expectedOf({ scripts, asked, left, answer }: Played): ExpectedReply | undefined {
  if (answer === undefined || left || !isSuccess(answer)) return undefined
  if (isStream(answer) && (!answer.done || hasErrorFrame(answer))) return undefined
  const [good, ...others] = scripts.filter(isGood)
  if (good === undefined || others.length > 0) return {}
  const text = (good.fragments ?? []).join('').repeat(good.repeat ?? 1)
  const { max_tokens: limit } = asked
  // A gateway may cut at the limit by itself, and no token is shorter than a byte.
  const isCut = typeof limit === 'number' && Buffer.byteLength(text) > limit
  return isCut
    ? { longText: text }
    : { text, ...(good.finishReason !== null && { finishReason: good.finishReason ?? 'stop' }) }
}

/** Whether the node answers with the fragments of its script. */
function isGood({ fragments, fault, status = 200, body, next }: NodeScript): boolean {
  return fragments !== undefined && fault === undefined && status < 300 && body === undefined && next === undefined
}
