import { type Basis, bases, type Gravity, gravities } from './marks.ts'
import type { StatementId } from './statement-ids.ts'

/** One sentence of the contract. */
interface Statement {
  /** Permanent. */
  readonly id: StatementId
  readonly level: 'must' | 'should' | 'open'
  /** Both absent where the level is `open`: nothing is judged. */
  readonly basis?: Basis
  readonly gravity?: Gravity
  readonly text: string
  /** Why no check proves it; absent where one must. */
  readonly notProvable?: string
}

export interface Clause {
  /** The clause's address in the contract, such as `2.4`. */
  readonly number: string
  readonly title: string
  readonly statements: readonly Statement[]
}

const heading = /^## (?<number>[\d.]+) (?<title>.+)$/
const statement =
  /^- `(?<id>[a-z0-9-]+)` \*\*(?<level>must|should|open)\*\* (?:\((?<basis>[a-z]+), (?<gravity>[a-z]+)\) )?(?<text>.+?)(?: \*Not provable: (?<why>.+)\*)?$/

/** Reads `fixtures/contract/v1.md`. A line that begins like a statement and is not one is our mistake, and throws. */
export function parseContract(markdown: string): readonly Clause[] {
  const clauses: { number: string; title: string; statements: Statement[] }[] = []
  for (const line of markdown.split('\n')) {
    const opened = heading.exec(line)?.groups
    if (opened !== undefined)
      clauses.push({ number: opened['number'] ?? '', title: opened['title'] ?? '', statements: [] })
    if (line.startsWith('- ')) clauses.at(-1)?.statements.push(parseStatement(line))
  }
  return clauses
}

function parseStatement(line: string): Statement {
  const { id, level, text, why, ...marks } = statement.exec(line)?.groups ?? {}
  const basis = bases.find((one) => one === marks['basis'])
  const gravity = gravities.find((one) => one === marks['gravity'])
  const isJudged = basis !== undefined && gravity !== undefined
  if (
    id === undefined ||
    text === undefined ||
    (level !== 'must' && level !== 'should' && level !== 'open') ||
    isJudged === (level === 'open')
  ) {
    throw new Error(`not a statement of the contract: ${line}`)
  }
  return {
    id: id as StatementId,
    level,
    ...(isJudged && { basis, gravity }),
    text,
    ...(why === undefined ? {} : { notProvable: why }),
  }
}

/** The clauses that these results are of, in the order of the contract; what it does not have comes last. */
export function clausesOf(
  results: readonly { readonly clause: string }[],
  contract: readonly Clause[],
): readonly { readonly number: string; readonly title: string }[] {
  const numbers = [...new Set(results.map(({ clause }) => clause))]
  const known = contract.filter(({ number }) => numbers.includes(number))
  const others = numbers.filter((number) => !known.some((clause) => clause.number === number))
  return [...known, ...others.map((number) => ({ number, title: '' }))]
}
