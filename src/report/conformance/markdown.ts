import { verdictKinds } from '../../check/verdict.ts'
import type { Clause } from '../../contract/clauses.ts'
import { countOf } from '../../count.ts'
import type { Report } from '../report.ts'
import { failuresInOrder, gravityWords, titledRoots } from '../roots.ts'
import type { Rules } from '../rule.ts'
import { saidOf } from '../said.ts'
import { inWords } from '../unasked.ts'
import { replayLine } from './terminal.ts'

/** The run for a pull request or a step summary: the verdict, a table by clause, and each failure folded. */
export function renderMarkdown(report: Report, rules: Rules, contract: readonly Clause[]): string {
  const { gate, target, run, results } = report
  const failed = failuresInOrder(results, report.roots)
  const known = results.filter((result) => result.known !== undefined && result.verdict.kind === 'fail')
  return [
    `## ${gate.exitCode === 0 ? '✅' : '❌'} ${cell(gate.reason)}`,
    '',
    `\`${target.baseUrl}${target.apiPath}\`, model \`${target.model ?? '–'}\`; ${countOf(run.requests, 'request')}, ${(run.durationMs / 1000).toFixed(1)} s, seed ${run.seed}, gate at \`${gate.level}\`.`,
    '',
    ...(report.notices ?? []).flatMap((notice) => [cell(notice), '']),
    ...(report.unasked === undefined ? [] : [`Stopped early: ${cell(inWords(report.unasked))}.`, '']),
    ...whatToMend(report),
    ...clauseTable(report, contract),
    ...(failed.length === 0
      ? []
      : ['', '### Failures', '', ...failed.flatMap((result) => failure(result, report, rules))]),
    ...(known.length === 0
      ? []
      : ['', `${known.length} known ${known.length === 1 ? 'failure does' : 'failures do'} not count.`]),
    '',
  ].join('\n')
}

/** What to mend first: a line for each root. */
function whatToMend({ roots }: Report): readonly string[] {
  return titledRoots(roots).flatMap(({ title, roots: own }) => [
    `### ${title}`,
    '',
    ...own.map(({ id, level, gravity, fix, blocks }) => {
      const behind = blocks.length === 0 ? '' : `, blocks ${blocks.length}`
      return `1. \`${id}\` (${level}, ${gravityWords[gravity]}${behind}): ${cell(fix)}`
    }),
    '',
  ])
}

function clauseTable({ results }: Report, contract: readonly Clause[]): readonly string[] {
  const kinds = verdictKinds.filter((kind) => results.some(({ verdict }) => verdict.kind === kind))
  const rows = [...new Set(results.map(({ clause }) => clause))].map((number) => {
    const own = results.filter(({ clause }) => clause === number)
    const title = contract.find((clause) => clause.number === number)?.title ?? ''
    const counts = kinds.map((kind) => own.filter(({ verdict }) => verdict.kind === kind).length || '')
    return `| ${number} ${cell(title)} | ${counts.join(' | ')} |`
  })
  return [`| clause | ${kinds.join(' | ')} |`, `|---|${kinds.map(() => '--:|').join('')}`, ...rows]
}

function failure(result: Report['results'][number], report: Report, rules: Rules): readonly string[] {
  const rule = rules.get(result.id)
  const exchange = result.exchanges.at(-1)
  const { verdict } = result
  if (verdict.kind !== 'fail') return []
  return [
    `<details><summary><code>${result.id}</code> (${result.level}, clause ${result.clause}): ${escaped(rule?.statements[0] ?? saidOf(result))}</summary>`,
    '',
    `- ${cell(verdict.what)}`,
    `- expected ${code(verdict.expected)}`,
    `- actual ${code(verdict.actual)}`,
    ...(rule === undefined ? [] : [`- ${cell(rule.why)} ${cell(rule.fix)}`]),
    ...(exchange === undefined ? [] : ['', '```sh', exchange.curl, replayLine(result, report), '```']),
    '',
    '</details>',
    '',
  ]
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function cell(text: string): string {
  return escaped(text).replaceAll('|', '\\|').replaceAll('\n', ' ')
}

/** As code, whatever it holds. */
function code(text: string): string {
  const line = text.replaceAll('\n', ' ').slice(0, 500)
  const fence = '`'.repeat(Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length)) + 1)
  return `${fence}${fence.length > 1 ? ` ${line} ` : line}${fence}`
}
