import { at, listAt, textAt } from '../../json.ts'
import type { ChatBody } from '../../target/chat.ts'
import { tokensMaxGranted } from '../../target/refused-limit.ts'
import type { Comparison } from './comparison.ts'

/** What a node was asked, beside what the client asked for. Only what the contract names is compared. */
export function requestComparisons(sent: ChatBody, received: unknown): readonly Comparison[] {
  const limit = at(received, 'max_tokens') ?? at(received, 'max_completion_tokens')
  const messages = listAt(received, 'messages')
  const expected = listAt(sent, 'messages')
  return [
    // A field that is left out has the contract's default, which is 1 for both.
    { what: 'temperature', expected: sent['temperature'] ?? 1, actual: at(received, 'temperature') ?? 1 },
    { what: 'top_p', expected: sent['top_p'] ?? 1, actual: at(received, 'top_p') ?? 1 },
    ...(isGranted(sent['max_tokens']) ? [{ what: 'max_tokens', expected: sent['max_tokens'], actual: limit }] : []),
    { what: 'stop', expected: sequences(sent['stop']), actual: sequences(at(received, 'stop')) },
    { what: 'number of messages', expected: expected.length, actual: messages.length },
    ...expected.flatMap((message, index): Comparison[] => [
      {
        what: `messages[${index}].role`,
        expected: textAt(message, 'role'),
        actual: at(messages[index], 'role'),
      },
      {
        what: `messages[${index}].content`,
        expected: textAt(message, 'content'),
        actual: at(messages[index], 'content'),
      },
    ]),
  ]
}

/** How a received request differs from that one of several sent ones which it resembles most. */
export function differencesFromClosest(sent: readonly ChatBody[], received: unknown): readonly Comparison[] {
  let closest: readonly Comparison[] = []
  for (const [turn, one] of sent.entries()) {
    const differences = requestComparisons(one, received).filter(isDifference)
    // A request that arrived as it was sent need not be held against the others.
    if (differences.length === 0) return []
    if (turn === 0 || differences.length < closest.length) closest = differences
  }
  return closest
}

function isDifference({ expected, actual }: Comparison): boolean {
  return expected !== actual && JSON.stringify(expected) !== JSON.stringify(actual)
}

/** The upper bound of a limit is not shown (8), so that a gateway may lower a large one. */
function isGranted(limit: unknown): boolean {
  return typeof limit === 'number' && limit <= tokensMaxGranted
}

/** Stop sequences in either form; none and an empty list are the same. */
function sequences(stop: unknown): unknown {
  return stop === undefined || stop === null ? [] : [stop].flat()
}
