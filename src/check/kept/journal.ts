import { type Answer, isStream, type StreamAnswer } from '../../target/answer.ts'
import type { ChatBody } from '../../target/chat.ts'
import { bodyLength } from '../../wire/transcript.ts'

/** A reply and what was asked for it. */
export interface Seen<A extends Answer> {
  readonly asked: ChatBody
  readonly answer: A
}

/** Keeps every successful reply to a request that the contract grants, so that the audits see them all. */
export interface Journal {
  readonly replies: readonly Seen<Answer>[]
  readonly streams: readonly Seen<StreamAnswer>[]
  /** Every answer that was not a success, whatever was asked. */
  readonly refusals: readonly Answer[]
  addReplies(...seen: readonly Seen<Answer>[]): void
  addStreams(...seen: readonly Seen<StreamAnswer>[]): void
  addRefusal(answer: Answer): void
}

/** About how many bytes all answers may take; later ones are not kept. A run against a gateway that behaves takes a tenth. */
const weightMax = 64 * 1024 * 1024
/** An answer is there as bytes, as text and as JSON; a frame of a stream takes more than its bytes. */
const copies = 3
const frameWeight = 1024

export function createJournal(): Journal {
  const replies: Seen<Answer>[] = []
  const streams: Seen<StreamAnswer>[] = []
  const refusals: Answer[] = []
  let room = weightMax
  const hasRoom = (answer: Answer): boolean => {
    const weight = weightOf(answer)
    if (weight > room) return false
    room -= weight
    return true
  }
  return {
    replies,
    streams,
    refusals,
    addReplies(...seen) {
      replies.push(...seen.filter(({ answer }) => hasRoom(answer)))
    },
    addStreams(...seen) {
      streams.push(...seen.filter(({ answer }) => hasRoom(answer)))
    },
    addRefusal(answer) {
      if (hasRoom(answer)) refusals.push(answer)
    },
  }
}

function weightOf(answer: Answer): number {
  return copies * bodyLength(answer.exchange) + (isStream(answer) ? answer.frames.length * frameWeight : 0)
}
