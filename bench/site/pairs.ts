import { tableOf } from '../docs/blocks.ts'
import type { JudgedPair } from '../matrix/pairs/results.ts'

/** The pairs of releases: how many were told apart, then each with what failed before. */
export function pairsInMarkdown(pairs: readonly JudgedPair[]): string {
  const count = (kind: JudgedPair['outcome']['kind']): number =>
    pairs.filter(({ outcome }) => outcome.kind === kind).length
  const installed = pairs.length - count('not-run')
  return [
    `${pairs.length} pairs tried, ${installed} installed: ${count('told')} red before and green after, ${count('missed')} missed.`,
    tableOf(['server', 'releases', 'known bug', 'statement', 'checks', 'before', 'after'], pairs.map(rowOf)),
  ].join('\n\n')
}

function rowOf(pair: JudgedPair): readonly string[] {
  const { title, before, after, bug, known, statement, checks, outcome } = pair
  const [first] = checks
  const seen =
    first?.before?.verdict === 'fail' ? `red: got ${inCell(first.before.actual)}` : (first?.before?.verdict ?? '–')
  return [
    title,
    `${before} → ${after}`,
    `${inCell(bug)} ([${nameOf(known)}](${known}))`,
    `\`${statement}\``,
    checks.map(({ id }) => `\`${id}\``).join(', '),
    seen,
    outcome.kind === 'told' ? 'green' : `${outcome.kind}: ${inCell(outcome.reason)}`,
  ]
}

/** `pull/440` or `issues/359` of an address, or its last folder. */
function nameOf(address: string): string {
  const [, number] = /\/(?:pull|issues)\/(\d+)/.exec(address) ?? []
  if (number !== undefined) return `#${number}`
  return address.includes('/commit/') ? 'commit' : 'changelog'
}

const shownCharsMax = 120

/** Text that cannot end a cell, nor begin a tag. */
function inCell(text = ''): string {
  const plain = text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;')
  return plain.length > shownCharsMax ? `${plain.slice(0, shownCharsMax)}…` : plain
}
