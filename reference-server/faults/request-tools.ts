import type { Call, Wrap } from '../gateway/seams.ts'
import { reading, refusal } from './tools.ts'

/** Answers some bodies by their text, before it is parsed. */
export function refusingText(when: (text: string, call: Call) => boolean, status = 400): Wrap {
  return {
    parseBody: (real) => (bytes, call) => {
      if (when(bytes.toString(), call)) throw refusal(status)
      return real(bytes, call)
    },
  }
}

/** Reads another text than the one that came. */
export function readingText(change: (text: string) => string): Wrap {
  return { parseBody: (real) => (bytes, call) => real(Buffer.from(change(bytes.toString())), call) }
}

type ChangeMessage = (message: unknown, index: number, all: readonly unknown[]) => unknown

/** Reads other messages than those that came; one that becomes `undefined` is dropped. */
export function readingMessages(change: ChangeMessage): Wrap {
  return reading((body) => {
    const { messages } = body as { readonly messages?: unknown }
    if (!Array.isArray(messages)) return body
    return { ...body, messages: messages.map(change).filter((message) => message !== undefined) }
  })
}

export const messagesOf = (body: object): readonly unknown[] => {
  const { messages } = body as { readonly messages?: unknown }
  return Array.isArray(messages) ? messages : []
}
