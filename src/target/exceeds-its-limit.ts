import { numberAt, parseJson } from '../json.ts'
import { type Answer, isStream } from './answer.ts'
import { charsPerTokenMax } from './chat.ts'

/** An escaped character of a JSON text has up to six. */
const escapedCharsMax = 6
const textStart = /"content"\s*:\s*"/g

/**
 * Whether a reply that was not read to its end has more text than its `max_tokens` allows, whatever the tokenizer. Our own
 * limit on what we read says nothing against a target.
 */
export function exceedsItsLimit(answer: Answer): boolean {
  const { exchange } = answer
  if (exchange.ending !== 'too-long') return false
  const asked = parseJson(Buffer.from(exchange.request.body ?? '').toString())
  const tokensMax = (numberAt(asked, 'max_tokens') ?? Number.NaN) * Math.max(1, numberAt(asked, 'n') ?? 1)
  if (!(tokensMax >= 1)) return false
  const charsMax = tokensMax * charsPerTokenMax
  if (!isStream(answer)) return longestUnfinished(answer.text) > charsMax * escapedCharsMax
  const rest = answer.frames.at(-1)
  if (answer.content.length > charsMax) return true
  return rest?.kind === 'irregularity' && longestUnfinished(rest.text) > charsMax * escapedCharsMax
}

/** The length of a `content` that the end of a text cuts off, as it is written. */
function longestUnfinished(text: string): number {
  const start = [...text.matchAll(textStart)].at(-1)
  if (start === undefined) return 0
  const from = start.index + start[0].length
  return text.includes('"', from) ? 0 : text.length - from
}
