import { type Books, unitsOf } from '../../reference-server/integration/books.ts'
import type { Seen } from './client.ts'

/** What clients know of the requests of one account. */
export interface Charged {
  note(seen: Seen, unitsPerToken: bigint): void
  /** What the account's books have wrong, in words. Nothing may be under way, and nobody else may have used the account. */
  problems(books: Books): readonly string[]
}

/** A dollar per million tokens is a million units of 1e-12. */
export const unitsPerToken = { small: 100_000n, medium: 500_000n, large: 600_000n } as const

/**
 * Keeps what each whole reply must cost, which is what its usage says, and which requests may cost something: a reply that
 * broke off or was left is paid for as far as it came.
 */
export function expectCharges(): Charged {
  const due = new Map<string, bigint>()
  const possible = new Set<string>()
  let [unnamed, free] = [0, 0]
  return {
    note({ status, ending, requestId, tokens }, price) {
      const isWhole = ending === 'whole'
      if (isWhole && status === 200 && requestId !== undefined && tokens !== undefined)
        due.set(requestId, BigInt(tokens) * price)
      else if (isWhole && status >= 400) free += 1
      else if (requestId !== undefined) possible.add(requestId)
      else unnamed += 1
    },
    problems({ balance, held, sum, charges, costs }) {
      const wrong = [...due].flatMap(([id, cost]) => {
        const charged = costs.get(id)
        return charged === undefined || charged === cost ? [] : [`${id} cost ${charged} instead of ${cost}`]
      })
      const missing = [...due.keys()].filter((id) => !costs.has(id))
      const unknown = charges.filter((id) => !due.has(id) && !possible.has(id)).length
      const counts: readonly (readonly [boolean, string])[] = [
        [held !== '0', `${held} is held although nothing is under way`],
        [sum !== unitsOf(balance), `the balance is ${balance}, the entries sum to ${sum}`],
        [costs.size !== charges.length, `${charges.length - costs.size} requests were charged twice`],
        [missing.length > 0, `${missing.length} whole replies were not charged: ${missing.slice(0, 3).join(' ')}`],
        [wrong.length > 0, `${wrong.length} charges differ from the usage: ${wrong.slice(0, 3).join(', ')}`],
        [
          unknown > unnamed,
          `${unknown} charges are for none of the replies; ${unnamed} requests got no head and ${free} were refused`,
        ],
      ]
      return counts.filter(([isWrong]) => isWrong).map(([, words]) => words)
    },
  }
}
