import { clausesOf } from '../../src/contract/clauses.ts'
import { countOf } from '../../src/count.ts'
import { readContract } from '../../src/fixtures.ts'
import { type Html, html } from '../../src/markup/html.ts'
import { table } from '../../src/markup/table.ts'
import { banner, renderPage } from '../../src/report/pages/parts/page.ts'
import { proportion } from '../../src/report/pages/parts/proportion.ts'
import { isPerfect, type Score } from './score.ts'

type Fault = Score['faults'][number]

export interface RunFacts {
  readonly seed: number
  readonly full: boolean
  readonly durationS: number
}

/** A run of detection as a page: what was not as it should be, and for each fault the checks that failed on it. */
export function renderDetectionPage(score: Score, { seed, full, durationS }: RunFacts): string {
  const { faults, legal, falseAlarms, problems, secondLooks } = score
  const caught = faults.filter((fault) => fault.caught).length
  const odd = faults.filter(isOdd)
  const head = {
    kind: 'detection',
    subject: 'Which check catches what',
    verdict: {
      tone: isPerfect(score) ? 'good' : 'bad',
      words: `${caught} of ${countOf(faults.length, 'fault')} caught, ${countOf(falseAlarms.length, 'false alarm')} on ${countOf(legal, 'legal gateway')}`,
    },
    facts: [
      ['seed', String(seed)],
      ['took', `${durationS} s`],
      ['selection', full ? 'everything' : 'a sample'],
      ['examined again, with a core to itself', countOf(secondLooks.length, 'gateway')],
    ],
  } as const
  const shares = [
    { name: 'faults caught', count: caught, fill: 'good' },
    { name: 'faults not caught', count: faults.length - caught, fill: 'bad' },
  ] as const
  return renderPage(
    head,
    html`${proportion(shares)}${problems.map((problem) => banner('bad', problem))}
${
  odd.length > 0 &&
  html`<h2>Not as expected</h2>${table(
    ['Fault', 'what was seen'],
    odd.map((fault) => [html`<a href="#${fault.name}"><code>${fault.name}</code></a>`, seenOf(fault).join('; ')]),
  )}`
}
${
  falseAlarms.length > 0 &&
  html`<h2>False alarms</h2>${table(
    ['Check', 'gateway', 'what it said'],
    falseAlarms.map(({ check, subject, entries, said }) => [
      html`<code>${check}</code>`,
      `${subject} (${entries.join(' + ')})`,
      said,
    ]),
  )}`
}
<h2>All faults</h2>
<form class="filters scripted-only" role="search" data-for="faults"><label>Search <input type="search" placeholder="fault or check" autocomplete="off"></label>
<fieldset><legend>Show</legend><label><input type="checkbox" value="caught" checked> caught</label><label><input type="checkbox" value="missed" checked> not caught</label></fieldset>
<output role="status" class="dim">${faults.length} of ${faults.length}</output></form>
<div id="faults">${clausesOf(faults, readContract()).map(({ number, title }) => {
      const own = faults.filter((fault) => fault.clause === number)
      const seen = own.filter((fault) => fault.caught).length
      return html`<details class="group"><summary><strong>${number} ${title}</strong><span class="tags"><span class="${seen === own.length ? 'good' : 'bad'}">${seen} of ${own.length} caught</span></span></summary><ul class="checks">${own.map((fault) => entry(fault, score.matrix[fault.name] ?? []))}</ul></details>`
    })}</div>`,
  )
}

function isOdd({ caught, missing, strangers }: Fault): boolean {
  return !caught || missing.length > 0 || strangers.length > 0
}

function seenOf({ caught, root, missing, strangers }: Fault): readonly string[] {
  return [
    ...(caught ? [] : [`${root} did not notice`]),
    ...missing.filter((id) => id !== root || caught).map((id) => `${id} did not fail`),
    ...strangers.map((id) => `${id} failed too`),
  ]
}

function entry({ name, about, root, level, caught }: Fault, failed: readonly string[]): Html {
  const others = failed.filter((id) => id !== root)
  return html`<li data-kind="${caught ? 'caught' : 'missed'}" id="${name}"><span class="sign ${caught ? 'good' : 'bad'}">${caught ? '✓' : '✗'}</span><code>${name}</code> <span class="dim">${level}</span> ${about}<br><span class="dim">by ${root}${others.length > 0 && `; also failed: ${others.join(', ')}`}</span></li>`
}
