import { type Clause, clausesOf } from '../../contract/clauses.ts'
import { type Html, html } from '../../markup/html.ts'
import type { Observation, Passport } from '../conformance/passport.ts'
import type { Rules } from '../rule.ts'
import { inline } from './parts/inline.ts'
import { banner, renderPage, timeOf } from './parts/page.ts'
import { shownValue, valuesIn } from './parts/values.ts'

/** What a gateway does where the contract is silent, clause by clause. */
export function renderPassportPage(passport: Passport, rules: Rules, contract: readonly Clause[]): string {
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
  const opened = openedOf(observations, rules)
  return renderPage(
    head,
    html`${incomplete !== undefined && banner('warn', `The run was ${incomplete}.`)}
<p>Nothing on this page is right or wrong. What is judged stands in the report: ${failed.format.length} of its failures ${failed.format.length === 1 ? 'breaks' : 'break'} the chat-completions format, ${failed.contract.length} ${failed.contract.length === 1 ? 'differs' : 'differ'} from contract ${passport.contract} alone.</p>
${observations.length === 0 && html`<p>Nothing was observed.</p>`}
${clausesOf(observations, contract).map(({ number, title }) => {
  const own = observations.filter(({ clause }) => clause === number)
  return html`<h2 id="clause-${number}">${number} ${title}</h2><div class="flow">${own.map((one) => entry(one, rules, opened.has(one)))}</div>`
})}`,
  )
}

/** What has more values than this is shown to those who ask for it: the page is to be read at a glance. */
const valuesMax = 4

/** How many lines are shown of all that was observed: with them a phone shows the page in less than 6,000 pixels. */
const linesMax = 60

/** The observations to show at once: those of few values, as many as there is room for. */
function openedOf(observations: readonly Observation[], rules: Rules): ReadonlySet<Observation> {
  let room = linesMax
  const short = observations
    .map((one) => ({ one, values: valuesIn(one.value), lines: bestOf(one, rules) === undefined ? 0 : 2 }))
    .filter(({ values }) => values <= valuesMax)
    .sort((one, other) => one.values - other.values)
  return new Set(
    short.flatMap(({ one, values, lines }) => {
      room -= values + lines
      return room >= 0 ? [one] : []
    }),
  )
}

/** What was seen, why anybody wants to know it, and what would be best, where there is a best. */
function entry(observation: Observation, rules: Rules, isOpen: boolean): Html {
  const { id, statement, value } = observation
  const best = bestOf(observation, rules)
  return html`<details class="card" id="${id}"${isOpen && html` open`}><summary><code>${id}</code> <span class="sub dim">${inline(rules.get(id)?.why ?? statement)}</span></summary>${shownValue(value)}${best !== undefined && html`<p class="sub dim">${inline(best)}</p>`}</details>`
}

/** What the way to mend it says, beyond that nothing has to be mended. */
function bestOf({ id }: Observation, rules: Rules): string | undefined {
  return /^Nothing to mend: [^.]+\. (.+)$/.exec(rules.get(id)?.fix ?? '')?.[1]
}
