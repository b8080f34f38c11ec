import type { SerializedResult } from '../../check/result.ts'
import type { Failure } from '../../check/verdict.ts'
import { bodyText, type RecordedExchange } from '../../wire/recorded-exchange.ts'
import { excerptAround } from '../excerpt.ts'
import type { Paint } from '../paint.ts'
import type { Report } from '../report.ts'
import type { Rules } from '../rule.ts'
import { sentenceOf } from '../said.ts'
import { replayLine } from './replay-line.ts'

/**
 * A failure in full, for a terminal: what went wrong, the rule, what was found, what to do, and the exchange that shows it. Prose is
 * broken by `fitted`; bytes, and what is there to be copied, never are.
 */
export function failureText(
  result: SerializedResult,
  report: Report,
  rules: Rules,
  paint: Paint,
  fitted: (text: string) => string,
): string {
  const { id, level, clause, verdict } = result
  const sign = paint.bad('✗')
  const place = paint.dim(`${id} (${level}, clause ${clause})`)
  if (verdict.kind === 'error') return `${sign} ${place}\n  the harness itself failed: ${verdict.message}`
  if (verdict.kind !== 'fail') return `${sign} ${place}`
  const rule = rules.get(id)
  const exchange = result.exchanges.at(-1)
  const { counterexample } = verdict
  const prose = [
    `${sign} ${paint.strong(sentenceOf(verdict))} ${place}`,
    ...(rule === undefined ? [] : [`  ${paint.dim('rule:')} ${rule.statements[0] ?? ''}`]),
    `  ${verdict.what}`,
    `    expected  ${verdict.expected}`,
    `    actual    ${verdict.actual}`,
    ...(counterexample === undefined
      ? []
      : [
          `    smallest value found: ${counterexample.value} (seed ${counterexample.seed}, path ${counterexample.path})`,
        ]),
    ...(rule === undefined ? [] : [paint.dim(`  why: ${rule.why}`), paint.dim(`  fix: ${rule.fix}`)]),
  ]
  return [
    fitted(prose.join('\n')),
    ...(exchange === undefined ? [] : [exchangeLines(exchange, verdict, paint, fitted)]),
    `  ${paint.dim('run again:')} ${replayLine(result, report)}`,
  ].join('\n')
}

const bodyCharsMax = 700

function exchangeLines(
  { answer, arrivals, ending, endedAtMs, problem, curl }: RecordedExchange,
  failure: Failure,
  paint: Paint,
  fitted: (text: string) => string,
): string {
  const head = answer === undefined ? 'no answer' : `HTTP ${answer.status} after ${answer.headMs} ms`
  const times = arrivals.slice(0, 8).map(([atMs, bytes]) => `${bytes} B at ${atMs} ms`)
  const more = arrivals.length > times.length ? `, … ${arrivals.length} pieces in all` : ''
  const pieces = times.length === 0 ? [] : [`${times.join(', ')}${more}`]
  const end = `${ending} after ${endedAtMs} ms${problem === undefined ? '' : ` (${problem})`}`
  const { before, marked, after } = excerptAround(bodyText(answer?.body).trimEnd(), failure, bodyCharsMax)
  const body = paint.dim(before) + (marked === '' ? '' : paint.bad(marked) + paint.dim(after))
  return [
    indent(curl),
    fitted(`  ${paint.dim([head, ...pieces, end].join('; '))}`),
    ...(before + marked === '' ? [] : [indent(body)]),
  ].join('\n')
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ')
}
