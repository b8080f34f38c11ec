import { checks } from '../../suites/index.ts'
import type { Check } from '../check/check.ts'
import { commandName } from '../command-name.ts'
import type { Clause } from '../contract/clauses.ts'
import { countOf } from '../count.ts'
import { readContract } from '../fixtures.ts'
import { parseOptions } from '../options/parse.ts'
import { shared } from '../options/shared.ts'
import type { Command } from './command.ts'

const options = { help: shared.help } as const

/** `assay list`: clauses, their statements, the checks of each, and what no check covers. */
export const list: Command = {
  help: `${commandName('list')}\n\nPrints every clause of the contract, its statements, the checks of each, and what no check covers.`,
  options,
  async run(args, io) {
    const { values } = parseOptions(options, args, {})
    io.out(values.help === true ? list.help : renderList(readContract(), checks))
    return 0
  },
}

function renderList(contract: readonly Clause[], shown: readonly Check[]): string {
  const lines: string[] = []
  let uncovered = 0
  for (const { number, title, statements } of contract) {
    lines.push(`${number} ${title}`)
    for (const { id, level, text, notProvable } of statements) {
      lines.push(`  ${id} (${level}) ${text}`)
      const proving = shown.filter(({ states }) => states.includes(id))
      for (const check of proving) lines.push(`    ${check.id}${needsOf(check)}`)
      if (notProvable !== undefined) lines.push(`    not provable: ${notProvable}`)
      else if (proving.length === 0) {
        uncovered += 1
        lines.push('    no check')
      }
    }
  }
  const levels = (['must', 'should', 'open'] as const).map(
    (level) => `${shown.filter((check) => check.level === level).length} ${level}`,
  )
  return [
    ...lines,
    '',
    `${countOf(shown.length, 'check')} (${levels.join(', ')}); ${countOf(uncovered, 'statement')} without a check`,
  ].join('\n')
}

/** A line for each check: its id, its level, and what it needs. */
export function renderChecks(shown: readonly Check[]): string {
  return shown.map((check) => `${check.id}${needsOf(check)}`).join('\n')
}

function needsOf({ level, needs = [] }: Check): string {
  return ` (${[level, ...needs.map((capability) => `needs ${capability}`)].join(', ')})`
}
