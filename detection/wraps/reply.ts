import type { Call, CompletionParts, Wrap } from '../../reference-server/gateway/seams.ts'
import { asJson, firstChoice, type Json } from './json.ts'

/** Changes replies that are not streamed. */
export function replies(change: (reply: Json, parts: CompletionParts, call: Call) => unknown): Wrap {
  return { completion: (real) => (parts, call) => change(asJson(real(parts, call)), parts, call) }
}

/** Changes the one choice of a reply. */
export function replyChoices(change: (choice: Json, parts: CompletionParts, call: Call) => unknown): Wrap {
  return replies((reply, parts, call) => ({
    ...reply,
    choices: firstChoice(reply, (choice) => change(choice, parts, call)),
  }))
}

/** Changes the usage of a reply. */
export function usages(change: (usage: Json, parts: CompletionParts, call: Call) => unknown): Wrap {
  return replies((reply, parts, call) => ({ ...reply, usage: change(asJson(reply['usage']), parts, call) }))
}

/** Changes the JSON text of a reply, for what a JavaScript value cannot express. */
export function replyText(change: (text: string) => string): Wrap {
  return {
    encode: (real) => (value, call) =>
      asJson(value)['object'] === 'chat.completion' ? change(real(value, call)) : real(value, call),
  }
}
