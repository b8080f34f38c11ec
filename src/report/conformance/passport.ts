import type { Clause } from '../../contract/clauses.ts'
import { type Html, html } from '../html.ts'
import { renderPage } from '../page.ts'
import type { Report } from '../report.ts'
import type { Root } from '../roots.ts'
import type { Rules } from '../rule.ts'

/** What a gateway does wherever the contract is silent; none of it is judged. */
interface Passport {
  readonly schema: 'inference-assay/passport/1'
  readonly target: Report['target']
  readonly contract: Report['contract']
  /** ISO 8601. */
  readonly observedAt: string
  readonly harness: Report['harness']
  /** Ids of the checks that failed: any server of the format claims the first, only this contract demands the second. */
  readonly failed: { readonly format: readonly string[]; readonly contract: readonly string[] }
  /** Why there are fewer observations than there could be. */
  readonly incomplete?: string
  readonly observations: readonly Observation[]
}

interface Observation {
  readonly id: string
  readonly clause: string
  /** What was looked at, in the words of the contract. */
  readonly statement: string
  /** Any JSON value. */
  readonly value: unknown
}

function passportOf({ target, contract, run, harness, gate, roots, results }: Report, rules: Rules): Passport {
  return {
    schema: 'inference-assay/passport/1',
    target,
    contract,
    observedAt: run.startedAt,
    harness,
    failed: { format: idsOf(roots, 'format'), contract: idsOf(roots, 'contract') },
    ...(gate.exitCode === 130 && { incomplete: gate.reason }),
    observations: results.flatMap(({ id, clause, verdict }) =>
      verdict.kind === 'observed'
        ? [{ id, clause, statement: rules.get(id)?.statements[0] ?? '', value: verdict.value }]
        : [],
    ),
  }
}

function idsOf(roots: readonly Root[], scope: Root['scope']): readonly string[] {
  return roots.filter((root) => root.scope === scope).map(({ id }) => id)
}

export function renderPassport(report: Report, rules: Rules): string {
  return `${JSON.stringify(passportOf(report, rules), null, 2)}\n`
}

/** The passport as one page, clause by clause. */
export function renderPassportHtml(report: Report, rules: Rules, contract: readonly Clause[]): string {
  const { target, observations, observedAt, harness, failed, incomplete } = passportOf(report, rules)
  const clauses = [...new Set(observations.map(({ clause }) => clause))]
  const body = html`<header><h1>${target.baseUrl}${target.apiPath}</h1>
<p>What this gateway does where contract ${report.contract} is silent. Nothing on this page is right or wrong.</p>
<p class="dim">Observed ${observedAt} with model ${target.model ?? '–'} by ${harness.name} ${harness.version}; models listed: ${target.models.join(', ') || 'none'}</p>
<p class="dim">What is judged stands in the report: ${failed.format.length} of its failures break the chat-completions format, ${failed.contract.length} differ from contract ${report.contract} alone.</p></header>
${incomplete !== undefined && html`<p><strong>The run was ${incomplete}.</strong></p>`}
${observations.length === 0 && html`<p>Nothing was observed.</p>`}
${clauses.map((number) => html`<h2>${number} ${contract.find((clause) => clause.number === number)?.title ?? ''}</h2>${observations.filter(({ clause }) => clause === number).map(entry)}`)}`
  return renderPage({ title: `What ${target.baseUrl} does`, style, body })
}

function entry({ id, statement, value }: Observation): Html {
  return html`<section><h3><code>${id}</code></h3><p class="dim">${statement}</p>${shownValue(value)}</section>`
}

/** Flat records are read as pairs, anything deeper as JSON. */
function shownValue(value: unknown): Html {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return html`<p>${wordsOf(value)}</p>`
  const pairs = Object.entries(value)
  return html`<dl>${pairs.map(([name, one]) => html`<dt>${name}</dt><dd>${wordsOf(one)}</dd>`)}</dl>`
}

const wordsMax = 600

function wordsOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > wordsMax ? `${text.slice(0, wordsMax)}…` : text
}

const style = `
section{border-top:1px solid var(--line);padding:.25rem 0 .5rem}h3{font-size:1rem;margin:.25rem 0}section p{margin:.25rem 0}
dl{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;gap:.15rem 1rem;margin:.25rem 0;font:13px/1.45 ui-monospace,monospace}
dt{color:var(--dim);overflow-wrap:anywhere}dd{margin:0;overflow-wrap:anywhere}
`
