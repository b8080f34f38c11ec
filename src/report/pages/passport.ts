import { type Clause, clausesOf } from '../../contract/clauses.ts'
import { type Html, html } from '../../markup/html.ts'
import type { Observation, Passport } from '../conformance/passport.ts'
import { inline } from './parts/inline.ts'
import { banner, renderPage, timeOf } from './parts/page.ts'
import { shownValue } from './parts/values.ts'

/** What a gateway does where the contract is silent, clause by clause. */
export function renderPassportPage(passport: Passport, contract: readonly Clause[]): string {
  const { target, observations, observedAt, harness, failed, incomplete } = passport
  const head = {
    kind: 'passport',
    subject: `${target.baseUrl}${target.apiPath}`,
    verdict: { tone: 'dim', words: `What this gateway does where contract ${passport.contract} is silent` },
    facts: [
      ['observed', timeOf(observedAt)],
      ['model', target.model ?? 'none'],
      ['models listed', target.models.join(', ') || 'none'],
      ['by', `${harness.name} ${harness.version}`],
    ],
  } as const
  return renderPage(
    head,
    html`${incomplete !== undefined && banner('warn', `The run was ${incomplete}.`)}
<p>Nothing on this page is right or wrong. What is judged stands in the report: ${failed.format.length} of its failures ${failed.format.length === 1 ? 'breaks' : 'break'} the chat-completions format, ${failed.contract.length} ${failed.contract.length === 1 ? 'differs' : 'differ'} from contract ${passport.contract} alone.</p>
${observations.length === 0 && html`<p>Nothing was observed.</p>`}
${clausesOf(observations, contract).map(({ number, title }) => {
  const own = observations.filter(({ clause }) => clause === number)
  return html`<h2 id="clause-${number}">${number} ${title}</h2><div class="flow">${own.map(entry)}</div>`
})}`,
  )
}

/** What has more values than this is shown to those who ask for it: the page is to be read at a glance. */
const valuesMax = 4

function entry({ id, statement, value }: Observation): Html {
  const isShort = valuesIn(value) <= valuesMax
  return html`<details class="card" id="${id}"${isShort && html` open`}><summary><code>${id}</code> <span class="dim">${inline(statement)}</span></summary>${shownValue(value)}</details>`
}

function valuesIn(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / 100
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, one) => sum + valuesIn(one), 0)
}
