import { type Failure, verdictKinds } from '../../check/verdict.ts'
import { type Clause, clausesOf } from '../../contract/clauses.ts'
import { countOf } from '../../count.ts'
import { bodyText, type RecordedExchange } from '../../wire/recorded-exchange.ts'
import { excerptAround } from '../excerpt.ts'
import { verdictWords } from '../headline.ts'
import type { Report } from '../report.ts'
import { failuresInOrder, gravityWords, titledRoots } from '../roots.ts'
import type { Rules } from '../rule.ts'
import { type FailedResult, sentenceOf } from '../said.ts'
import { inWords } from '../unasked.ts'
import { replayLine } from './replay-line.ts'

/** The run for a pull request or a step summary: the verdict, a table by clause, and each failure folded. */
export function renderMarkdown(report: Report, rules: Rules, contract: readonly Clause[]): string {
  const { gate, target, run, results } = report
  const failed = failuresInOrder(results, report.roots)
  const known = results.filter((result) => result.known !== undefined && result.verdict.kind === 'fail')
  return [
    `## ${gate.exitCode === 0 ? '✅' : '❌'} ${cell(verdictWords(report))}`,
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
    ...own.map(({ id, level, gravity, wrong, said, fix, blocks }) => {
      const behind = blocks.length === 0 ? '' : `, blocks ${blocks.length}`
      return `1. **${cell(wrong ?? said)}** \`${id}\` (${level}, ${gravityWords[gravity]}${behind}): ${cell(fix)}`
    }),
    '',
  ])
}

function clauseTable({ results }: Report, contract: readonly Clause[]): readonly string[] {
  const kinds = verdictKinds.filter((kind) => results.some(({ verdict }) => verdict.kind === kind))
  const rows = clausesOf(results, contract).map(({ number, title }) => {
    const own = results.filter(({ clause }) => clause === number)
    const counts = kinds.map((kind) => own.filter(({ verdict }) => verdict.kind === kind).length || '')
    return `| ${number} ${cell(title)} | ${counts.join(' | ')} |`
  })
  return [`| clause | ${kinds.join(' | ')} |`, `|---|${kinds.map(() => '--:|').join('')}`, ...rows]
}

function failure(result: FailedResult, report: Report, rules: Rules): readonly string[] {
  const { id, level, clause, verdict, exchanges } = result
  const rule = rules.get(id)
  const exchange = exchanges.at(-1)
  return [
    `<details><summary><strong>${escaped(sentenceOf(verdict))}</strong> <code>${id}</code> (${level}, clause ${clause})</summary>`,
    '',
    ...(rule === undefined ? [] : [`- Rule: ${cell(rule.statements[0] ?? '')}`]),
    `- ${cell(verdict.what)}`,
    `- expected ${code(verdict.expected)}`,
    `- actual ${code(verdict.actual)}`,
    ...(rule === undefined ? [] : [`- ${cell(rule.why)} ${cell(rule.fix)}`]),
    ...(exchange === undefined
      ? []
      : ['', ...bodyLines(exchange, verdict), '```sh', exchange.curl, replayLine(result, report), '```']),
    '',
    '</details>',
    '',
  ]
}

const bodyCharsMax = 700

/** The part of the body that the failure is about. */
function bodyLines({ answer }: RecordedExchange, failure: Failure): readonly string[] {
  const { before, marked, after } = excerptAround(bodyText(answer?.body).trimEnd(), failure, bodyCharsMax)
  const body = before + marked + after
  const fence = '`'.repeat(Math.max(2, longestTicks(body)) + 1)
  return body === '' ? [] : [`${fence}text`, body, fence, '']
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
  const fence = '`'.repeat(longestTicks(line) + 1)
  return `${fence}${fence.length > 1 ? ` ${line} ` : line}${fence}`
}

function longestTicks(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
}
