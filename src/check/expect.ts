import type { Answer } from '../target/answer.ts'
import type { Exchange } from '../wire/transcript.ts'

/** How an answer failed as a whole, so that there was nothing in it to look at. */
export type NoReply = 'refused' | 'broken-off' | 'unanswered'

/** A class of status codes. */
export type StatusClass = '2xx' | '4xx'

interface Saw {
  /** What was looked at. */
  readonly what: string
  readonly expected: string
  readonly actual: string
  /** The exchange that shows it. */
  readonly exchange?: Exchange | undefined
  readonly noReply?: NoReply | undefined
  /** The statuses that were due, where it is about one. */
  readonly due?: readonly StatusClass[] | undefined
}

/** Thrown by an expectation that does not hold: the gateway is wrong, never the harness. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch'
  readonly saw: Saw

  constructor(saw: Saw) {
    super(`${saw.what}: expected ${saw.expected}, got ${saw.actual}`)
    this.saw = saw
  }
}

/** What any check says of an answer that it could not look into. */
const withoutReply: Readonly<Record<NoReply, string>> = {
  refused: 'A valid request was not served.',
  'broken-off': 'An answer did not come to its end.',
  unanswered: 'A request got no answer.',
}

/** What a mismatch means: the check's own sentence, unless that does not hold where no whole reply came. */
export function meaningOf(
  { wrong, coversNoReply = false }: { readonly wrong?: string; readonly coversNoReply?: boolean },
  { saw: { noReply } }: Mismatch,
): { readonly wrong?: string } {
  if (noReply !== undefined && !coversNoReply) return { wrong: withoutReply[noReply] }
  return wrong === undefined ? {} : { wrong }
}

interface Expectation<T> {
  /** Equal by value. */
  is(expected: T): void
  isNot(unexpected: T): void
  isOneOf(allowed: readonly T[]): void
  isAtLeast(least: number): void
  isAtMost(most: number): void
  matches(pattern: RegExp): void
  /** Of a status: is one of these, or of one of these classes. */
  isStatus(...due: readonly (StatusClass | number)[]): void
  /** Holds when `holds` is true; `expected` says in words what was expected. */
  satisfies(expected: string, holds: boolean): void
}

/** `expect('what was looked at', value, the answer that shows it)`. Each expectation that holds is one proof. */
export type Expect = <T>(what: string, actual: T, shownBy?: ShownBy) => Expectation<T>

type ShownBy = Pick<Answer, 'exchange' | 'isPartial'> | undefined

/** Called for each expectation that held, with what was looked at and the answer that shows it. */
type OnProof = (what: string, shownBy: ShownBy) => void

export function createExpect(onProof: OnProof, onIncomplete: OnIncomplete = mismatchOfIncomplete): Expect {
  return (what, actual, shownBy) => new Look(onProof, onIncomplete, what, actual, shownBy)
}

/** What is thrown where an expectation looks at an answer that did not come in time, or was too long to be read to its end. */
export type OnIncomplete = (what: string, expected: string, exchange: Exchange) => Error

export const mismatchOfIncomplete: OnIncomplete = (what, expected, exchange) =>
  new Mismatch({ what, expected, actual: incompleteness(exchange), exchange, noReply: noReplyIn(exchange) })

/** How an answer is not whole, in a few words. */
export function incompleteness({ ending, problem = ending, omitted }: Exchange): string {
  if (ending === 'too-long') return `an answer without end (${problem})`
  if (ending === 'timeout') return `no answer (${problem})`
  return `an answer of which ${omitted?.bytes ?? 'some'} bytes were not kept`
}

/** How the answer to a request failed, where it has no end in time or no beginning. */
function noReplyIn({ head, ending }: Exchange): NoReply | undefined {
  if (head === undefined) return 'unanswered'
  return ending === 'timeout' || ending === 'too-long' ? 'broken-off' : undefined
}

/** A class and no closures: a run looks at a hundred thousand values, and only those that fail become texts. */
class Look<T> implements Expectation<T> {
  readonly #onProof: OnProof
  readonly #onIncomplete: OnIncomplete
  readonly #what: string
  readonly #actual: T
  readonly #shownBy: ShownBy

  constructor(onProof: OnProof, onIncomplete: OnIncomplete, what: string, actual: T, shownBy: ShownBy) {
    this.#onProof = onProof
    this.#onIncomplete = onIncomplete
    this.#what = what
    this.#actual = actual
    this.#shownBy = shownBy
  }

  is(expected: T): void {
    if (isSame(this.#actual, expected)) this.#prove()
    else this.#fail(showBeside(expected, this.#actual), showBeside(this.#actual, expected))
  }

  isNot(unexpected: T): void {
    if (isSame(this.#actual, unexpected)) this.#fail(`anything but ${show(unexpected)}`)
    else this.#prove()
  }

  isOneOf(allowed: readonly T[]): void {
    if (allowed.some((one) => isSame(one, this.#actual))) this.#prove()
    else this.#fail(`one of ${allowed.map(show).join(', ')}`)
  }

  isAtLeast(least: number): void {
    if (typeof this.#actual === 'number' && this.#actual >= least) this.#prove()
    else this.#fail(`at least ${least}`)
  }

  isAtMost(most: number): void {
    if (typeof this.#actual === 'number' && this.#actual <= most) this.#prove()
    else this.#fail(`at most ${most}`)
  }

  matches(pattern: RegExp): void {
    if (typeof this.#actual === 'string' && pattern.test(this.#actual)) this.#prove()
    else this.#fail(`text that matches ${pattern}`)
  }

  isStatus(...due: readonly (StatusClass | number)[]): void {
    if (due.some((one) => isOf(one, this.#actual))) this.#prove()
    else this.#fail(`a ${due.join(' or ')}`, show(this.#actual), due.filter(isClass))
  }

  satisfies(expected: string, holds: boolean): void {
    if (holds) this.#prove()
    else this.#fail(expected)
  }

  #prove(): void {
    this.#onProof(this.#what, this.#shownBy)
  }

  #fail(expected: string, actual = show(this.#actual), due?: readonly StatusClass[]): never {
    const exchange = this.#shownBy?.exchange
    const isIncomplete = exchange?.ending === 'timeout' || this.#shownBy?.isPartial === true
    if (exchange !== undefined && isIncomplete) throw this.#onIncomplete(this.#what, expected, exchange)
    throw new Mismatch({ what: this.#what, expected, actual, exchange, noReply: exchange && noReplyIn(exchange), due })
  }
}

function isClass(one: StatusClass | number): one is StatusClass {
  return typeof one === 'string'
}

function isOf(due: StatusClass | number, status: unknown): boolean {
  return due === status || (typeof status === 'number' && due === `${Math.floor(status / 100)}xx`)
}

/** Whether two values are the same JSON, however long. */
function isSame(one: unknown, other: unknown): boolean {
  return Object.is(one, other) || textOf(one) === textOf(other)
}

const shownCharsMax = 500
/** How much of what two long values share is shown before their difference. */
const sameCharsShown = 40

/** A value as a person reads it, cut if it is long; undefined is "nothing". */
export function show(value: unknown): string {
  const text = textOf(value)
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}… (${text.length} characters)` : text
}

/** The part of a long value in which it begins to differ from another one. */
function showBeside(value: unknown, other: unknown): string {
  const [text, beside] = [textOf(value), textOf(other)]
  if (Math.max(text.length, beside.length) <= shownCharsMax) return text
  let same = 0
  while (same < text.length && text[same] === beside[same]) same += 1
  const from = Math.max(0, same - sameCharsShown)
  const part = text.slice(from, from + shownCharsMax)
  return `${from > 0 ? '…' : ''}${part}${from + part.length < text.length ? '…' : ''} (${text.length} characters)`
}

/** What nobody sees in a text, and what ends a line in some places: JSON leaves these as they are. */
const unseen = /[\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060\ufeff]/g

function textOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'bigint') return `${value}`
  const text = JSON.stringify(value) ?? String(value)
  return text.replace(unseen, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
