import type { SerializedResult } from '../../check/result.ts'
import { type VerdictKind, verdictKinds } from '../../check/verdict.ts'
import { commandName } from '../../command-name.ts'
import { type Clause, clausesOf } from '../../contract/clauses.ts'
import { countOf, spacedCountOf } from '../../count.ts'
import { shorten } from '../../shorten.ts'
import { verdictWords } from '../headline.ts'
import { createPaint, type Paint } from '../paint.ts'
import type { Report } from '../report.ts'
import { failuresInOrder, gravityWords, type Root, titledRoots } from '../roots.ts'
import type { Rules } from '../rule.ts'
import { failureIn, saidOf } from '../said.ts'
import { inWords } from '../unasked.ts'
import { wrapLines } from '../wrap.ts'
import { failureText } from './failure-text.ts'

interface TerminalOptions {
  readonly color: boolean
  readonly quiet: boolean
  readonly verbose: boolean
  /** The width of the terminal; without it no line is broken. */
  readonly columns?: number
  readonly contract: readonly Clause[]
  readonly rules: Rules
}

/** A report for a person: calm when green, exact when red. */
export function renderTerminal(report: Report, options: TerminalOptions): string {
  const paint = createPaint(options.color)
  const fitted = (text: string): string => wrapLines(text, options.columns)
  const errors = report.results.filter(({ verdict }) => verdict.kind === 'error')
  const failed = failuresInOrder(report.results, report.roots)
  const parts = [
    ...(options.verbose ? [fitted(everyCheck(report, paint))] : []),
    fitted(whatToMend(report, paint)),
    ...[...failed, ...errors].map((result) => failureText(result, report, options.rules, paint, fitted)),
    explainLine(failed, paint),
    ...afterFailures(report, options, paint).map(fitted),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** What stands below the failures, part by part; empty where there is nothing to say. */
function afterFailures(report: Report, options: TerminalOptions, paint: Paint): readonly string[] {
  return [
    rootsElsewhere(report, paint),
    ...(options.quiet ? [] : [byClause(report, options.contract, paint), untestable(report, paint)]),
    differences(report, paint),
    knownFailures(report, paint),
    leftBehind(report, paint),
    (report.notices ?? []).map((notice) => paint.warn(notice)).join('\n'),
    unaskedLine(report, paint),
    verdictLine(report, paint),
  ]
}

/** Once, however many failed: what else there is to know of a check. */
function explainLine(failed: readonly SerializedResult[], paint: Paint): string {
  const [first, ...others] = failed
  if (first === undefined) return ''
  const of = others.length === 0 ? 'All about this check' : 'All about a check, such as the first of these'
  return `${paint.dim(`${of}:`)} ${commandName('explain')} ${first.id}`
}

function everyCheck({ results }: Report, paint: Paint): string {
  return results.map((result) => `${mark(result, paint)} ${result.id} ${paint.dim(detail(result))}`).join('\n')
}

function mark({ verdict }: SerializedResult, paint: Paint): string {
  if (verdict.kind === 'pass') return paint.good('✓')
  if (verdict.kind === 'fail' || verdict.kind === 'error') return paint.bad('✗')
  return verdict.kind === 'observed' ? paint.dim('◦') : paint.warn('–')
}

function detail({ verdict, level }: SerializedResult): string {
  switch (verdict.kind) {
    case 'pass':
      return `${level}, ${countOf(verdict.proofs, 'proof')}`
    case 'observed':
      return JSON.stringify(verdict.value)
    case 'fail':
      return `${level}: ${verdict.what}: expected ${verdict.expected}, got ${verdict.actual}`
    case 'error':
      return verdict.message
    case 'blocked':
      return saidOf({ verdict })
    default:
      return `${verdict.kind}: ${verdict.reason}`
  }
}

/** How many roots are shown at the head, so that all of it fits a screen, and how much of what was found. */
const rootsMax = { format: 10, contract: 4 }
const saidCharsMax = 120

/** What to mend first, in a screen; every failure follows in full, in the same order. */
function whatToMend({ roots }: Report, paint: Paint): string {
  if (roots.length < 2) return ''
  const shown = (['format', 'contract'] as const).flatMap((scope) =>
    roots.filter((root) => root.scope === scope).slice(0, rootsMax[scope]),
  )
  const groups = titledRoots(shown).flatMap(({ title, roots: own }) => [
    `  ${paint.strong(title)}`,
    ...[...Map.groupBy(own, ({ gravity }) => gravity)].flatMap(([gravity, some]) => [
      `    ${paint.dim(gravityWords[gravity])}`,
      ...some.flatMap((root) => rootLines(root, paint)),
    ]),
  ])
  const rest = roots.length - shown.length
  return [
    paint.warn(`What to mend first, of ${roots.length} failures:`),
    ...groups,
    ...(rest === 0 ? [] : [paint.dim(`    and ${rest} more, of less weight; all follow in full`)]),
  ].join('\n')
}

function rootLines({ id, level, wrong, said, fix, blocks }: Root, paint: Paint): readonly string[] {
  const behind = blocks.length === 0 ? '' : ` (blocks ${blocks.length})`
  return [
    `    ${paint.bad('✗')} ${level.padEnd(6)}  ${wrong ?? shorten(said, saidCharsMax)} ${paint.dim(`${id}${behind}`)}`,
    `              ${fix}`,
  ]
}

function byClause({ results }: Report, contract: readonly Clause[], paint: Paint): string {
  const rows = clausesOf(results, contract).map(({ number, title }) => {
    const own = results.filter(({ clause }) => clause === number)
    const counts = verdictKinds
      .map((kind): [string, number] => [kind, own.filter(({ verdict }) => verdict.kind === kind).length])
      .filter(([, count]) => count > 0)
      .map(([kind, count]) =>
        kind === 'fail' || kind === 'error' ? paint.bad(`${count} ${kind}`) : `${count} ${kind}`,
      )
    return `${clauseSign(own, paint)} ${`${number} ${title}`.padEnd(34)} ${counts.join(' · ')}${blockers(own, paint)}`
  })
  return rows.join('\n')
}

/** A tick is for a clause in which something passed; one of which nothing could be proven has none. */
function clauseSign(own: readonly SerializedResult[], paint: Paint): string {
  const has = (...kinds: readonly VerdictKind[]): boolean => own.some(({ verdict }) => kinds.includes(verdict.kind))
  if (has('fail', 'error')) return paint.bad('✗')
  if (has('pass')) return paint.good('✓')
  return has('observed') ? paint.dim('◦') : paint.warn('–')
}

/** The failures that blocked checks of a clause, by name. */
function blockers(own: readonly SerializedResult[], paint: Paint): string {
  const roots = [...new Set(own.flatMap(({ verdict }) => (verdict.kind === 'blocked' ? [verdict.by] : [])))]
  if (roots.length === 0) return ''
  return paint.dim(` by ${roots.slice(0, 2).join(', ')}${roots.length > 2 ? `, … ${roots.length} in all` : ''}`)
}

/** Failures that block selected checks, and were not selected themselves. */
function rootsElsewhere({ results }: Report, paint: Paint): string {
  const blocked = results.flatMap(({ id, verdict }) =>
    verdict.kind === 'blocked' && verdict.root !== undefined ? [{ id, by: verdict.by, root: verdict.root }] : [],
  )
  const rows = [...Map.groupBy(blocked, ({ by }) => by)].map(([by, some]) => {
    const said = some.slice(0, 1).map(({ root }) => failureIn(root))
    return `  ${paint.bad('✗')} ${by} ${paint.dim(`${said} (blocks ${some.map(({ id }) => id).join(', ')})`)}`
  })
  return rows.length === 0 ? '' : [paint.warn('Blocked by failures that were not selected:'), ...rows].join('\n')
}

function untestable({ results }: Report, paint: Paint): string {
  const rows = results.flatMap(({ id, verdict }) =>
    verdict.kind === 'untestable' && verdict.cause !== 'budget' ? [[verdict.reason, id] as const] : [],
  )
  const reasons = [...new Set(rows.map(([reason]) => reason))].map((reason) => {
    const ids = rows.filter(([other]) => other === reason).map(([, id]) => id)
    return `  ${ids.length} × ${reason} ${paint.dim(`(${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', …' : ''})`)}`
  })
  return reasons.length === 0 ? '' : [paint.warn('Not decided:'), ...reasons].join('\n')
}

/** One line for each known failure, so that nobody takes it for a pass. */
function knownFailures({ results }: Report, paint: Paint): string {
  const rows = results.flatMap(({ id, verdict, known }) => {
    if (known === undefined || verdict.kind !== 'fail') return []
    return [`  ${id} ${paint.dim(`${known.flaky ? '(flaky) ' : ''}${known.reason}`)}`]
  })
  return rows.length === 0 ? '' : [paint.warn('Known failures:'), ...rows].join('\n')
}

const valueCharsMax = 120

function differences({ against }: Report, paint: Paint): string {
  if (against === undefined) return ''
  const heading = paint.strong(`Compared with ${against.baseUrl}: ${countOf(against.differences.length, 'difference')}`)
  const rows = against.differences.map(({ id, level, here, there, departs }) => {
    const side = {
      here: paint.bad('this one fails'),
      there: paint.warn('the other fails'),
      neither: paint.dim('neither fails'),
    }
    return `  ${id} ${paint.dim(`(${level})`)} ${side[departs]}: ${shorten(here, valueCharsMax)} here, ${shorten(there, valueCharsMax)} there`
  })
  return [heading, ...rows].join('\n')
}

function leftBehind({ results }: Report, paint: Paint): string {
  const rows = results.flatMap(({ id, left = [] }) => left.map((one) => `  ${one} ${paint.dim(`(${id})`)}`))
  return rows.length === 0
    ? ''
    : [paint.warn('Left on the target, because it could not be undone:'), ...rows].join('\n')
}

function unaskedLine({ unasked }: Report, paint: Paint): string {
  return unasked === undefined ? '' : paint.warn(`Stopped early: ${inWords(unasked)}`)
}

function verdictLine(report: Report, paint: Paint): string {
  const { results, run, gate, target, replay } = report
  const count = (kind: VerdictKind): number => results.filter(({ verdict }) => verdict.kind === kind).length
  const color = gate.exitCode === 0 ? paint.good : paint.bad
  const counts = [
    `${count('pass')} pass, ${count('fail')} fail, ${count('observed')} observed, ${count('blocked')} blocked`,
    `${count('untestable')} untestable, ${count('not-applicable')} not applicable`,
    ...(count('error') === 0 ? [] : [countOf(count('error'), 'harness error')]),
  ]
  const totals = `${countOf(results.length, 'check')}: ${counts.join(', ')}`
  const cost = run.costUsd === null ? '' : `, $${run.costUsd.toFixed(4)}`
  return [
    color(verdictWords(report)),
    `${totals}, in ${(run.durationMs / 1000).toFixed(1)} s`,
    paint.dim(
      `${replay?.embedded === true ? 'the embedded reference gateway' : target.baseUrl + target.apiPath}, model ${target.model ?? 'unknown'}; ${spacedCountOf(run.requests, 'request')}, ${spacedCountOf(run.tokens, 'token')}${cost}; seed ${run.seed}`,
    ),
  ].join('\n')
}
