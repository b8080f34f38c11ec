import { chatCompletionSchema, usageSchema } from '../../contract/chat-completion.ts'
import { mismatches } from '../../contract/schema.ts'
import { streamChunkSchema } from '../../contract/stream-chunk.ts'
import { at, isRecord, numberAt, textAt } from '../../json.ts'
import { type Answer, contentOf, finishReasonOf, isStream, type StreamAnswer } from '../../target/answer.ts'
import { charsPerTokenMax } from '../../target/chat.ts'
import type { Comparison } from './comparison.ts'
import type { ExpectedReply } from './played.ts'

/** What a client got, beside what the node sent. */
export function replyComparisons(expected: ExpectedReply, answer: Answer | StreamAnswer): readonly Comparison[] {
  return isStream(answer) ? streamComparisons(expected, answer) : wholeComparisons(expected, answer)
}

/** The text, or the part of it that a limit left. */
function textComparisons({ text, longText }: ExpectedReply, actual: string | undefined): readonly Comparison[] {
  if (text !== undefined) return [{ what: 'text', expected: text, actual }]
  return longText === undefined
    ? []
    : [{ what: 'beginning of the text', expected: longText.slice(0, actual?.length ?? 0), actual: actual ?? '' }]
}

function wholeComparisons(expected: ExpectedReply, answer: Answer): readonly Comparison[] {
  const { finishReason, model, chars } = expected
  const { json } = answer
  const reason = at(json, 'choices', 0, 'finish_reason')
  return [
    ...textComparisons(expected, contentOf(answer)),
    ...(finishReason === undefined ? [] : [{ what: 'finish_reason', expected: finishReason, actual: reason }]),
    ...(model === undefined ? [] : [{ what: 'model', expected: model, actual: at(json, 'model') }]),
    { what: 'index of the choice', expected: 0, actual: at(json, 'choices', 0, 'index') },
    { what: 'parts that do not match the contract', expected: [], actual: mismatches(chatCompletionSchema, json) },
    { what: 'created, in days from now', expected: 0, actual: daysFromNow(at(json, 'created'), answer) },
    ...usageComparisons(chars, at(json, 'usage')),
  ]
}

function streamComparisons(expected: ExpectedReply, answer: StreamAnswer): readonly Comparison[] {
  const { finishReason, chars } = expected
  const { chunks, content, done } = answer
  const wrong = chunks.flatMap(({ json }) => mismatches(streamChunkSchema, json))
  // A chunk need not have a finish reason; if one has, it is the node's.
  const reason = finishReasonOf(answer) ?? finishReason
  return [
    ...textComparisons(expected, content),
    { what: 'whether [DONE] came', expected: true, actual: done },
    ...(finishReason === undefined ? [] : [{ what: 'finish_reason', expected: finishReason, actual: reason }]),
    { what: 'parts that do not match the contract', expected: [], actual: [...new Set(wrong)].slice(0, 3) },
    { what: 'number of ids', expected: 1, actual: new Set(chunks.map(({ json }) => at(json, 'id'))).size },
    { what: 'index of a choice', expected: [], actual: otherThan(0, chunks, 'choices', 0, 'index') },
    ...usageComparisons(chars, usageInStream(answer)),
  ]
}

/** Counts depend on the tokeniser, but no token is longer than so many characters. */
function usageComparisons(chars: ExpectedReply['chars'], usage: unknown): readonly Comparison[] {
  if (chars === undefined || usage === undefined) return []
  const isEnough = (field: string, length: number): boolean =>
    (numberAt(usage, field) ?? -1) >= Math.ceil(length / charsPerTokenMax)
  const { prompt, reply } = chars
  return [
    {
      what: `whether prompt_tokens is enough for a prompt of ${prompt} characters`,
      expected: true,
      actual: isEnough('prompt_tokens', prompt),
    },
    {
      what: `whether completion_tokens is enough for a reply of ${reply} characters`,
      expected: true,
      actual: isEnough('completion_tokens', reply),
    },
  ]
}

/** What only the format asks for: fields that may be missing, and sums. */
export function detailComparisons(answer: Answer | StreamAnswer, model: string): readonly Comparison[] {
  if (!isStream(answer)) return sumComparisons(at(answer.json, 'usage'))
  const { chunks } = answer
  const usages = chunks.map(({ json }) => at(json, 'usage')).filter((usage) => usage != null)
  const created = chunks.map(({ json }) => at(json, 'created')).filter((time) => time !== undefined)
  const reasons = chunks.map(({ json }) => at(json, 'choices', 0, 'finish_reason')).filter((reason) => reason != null)
  return [
    { what: 'model of a chunk', expected: [], actual: otherThan(model, chunks, 'model') },
    { what: 'object of a chunk', expected: [], actual: otherThan('chat.completion.chunk', chunks, 'object') },
    { what: 'role of a delta', expected: [], actual: otherThan('assistant', chunks, 'choices', 0, 'delta', 'role') },
    {
      what: 'created of a chunk, in days from now',
      expected: [],
      actual: created
        .map((time) => daysFromNow(time, answer))
        .filter((days) => days !== 0)
        .slice(0, 3),
    },
    {
      what: 'a finish_reason that is no text',
      expected: [],
      actual: reasons.filter((reason) => typeof reason !== 'string'),
    },
    {
      what: 'parts of usage that do not match the contract',
      expected: [],
      actual: usages.flatMap((one) => mismatches(usageSchema, one)),
    },
    ...usages.flatMap(sumComparisons),
  ]
}

function sumComparisons(usage: unknown): readonly Comparison[] {
  const [prompt, completion] = [numberAt(usage, 'prompt_tokens'), numberAt(usage, 'completion_tokens')]
  if (prompt === undefined || completion === undefined) return []
  return [{ what: 'total_tokens', expected: prompt + completion, actual: at(usage, 'total_tokens') }]
}

/** Values of a field that are there and differ. */
function otherThan(
  expected: unknown,
  chunks: StreamAnswer['chunks'],
  ...path: readonly (string | number)[]
): unknown[] {
  const values = chunks
    .map(({ json }) => at(json, ...path))
    .filter((value) => value !== undefined && value !== expected)
  return [...new Set(values)].slice(0, 3)
}

const dayMs = 86_400_000

/** Whole days between a time in Unix seconds and the request; text if it is no whole number. */
function daysFromNow(created: unknown, { exchange }: Answer): unknown {
  if (!Number.isInteger(created)) return `${JSON.stringify(created)}, which is no whole number`
  return Math.trunc((Number(created) * 1000 - exchange.sentAt) / dayMs)
}

/** The id of a reply or of a stream. */
export function idOf(answer: Answer | StreamAnswer): string | undefined {
  return isStream(answer) ? textAt(answer.chunks[0]?.json, 'id') : textAt(answer.json, 'id')
}

/** Two replies of which the second is longer, and so is its prompt; or only one of the two. */
export function orderComparisons(
  shorter: Answer | StreamAnswer,
  longer: Answer | StreamAnswer,
  fields: readonly string[] = ['prompt_tokens', 'completion_tokens'],
): readonly Comparison[] {
  return fields.flatMap((field): Comparison[] => {
    const [few, many] = [numberAt(usageOf(shorter), field), numberAt(usageOf(longer), field)]
    if (few === undefined || many === undefined) return []
    const what = `whether ${field} of a short exchange (${few}) is less than that of a long one (${many})`
    return [{ what, expected: true, actual: few < many }]
  })
}

function usageOf(answer: Answer | StreamAnswer): unknown {
  return isStream(answer) ? usageInStream(answer) : at(answer.json, 'usage')
}

function usageInStream({ chunks }: StreamAnswer): unknown {
  return chunks.map(({ json }) => at(json, 'usage')).findLast(isRecord)
}
