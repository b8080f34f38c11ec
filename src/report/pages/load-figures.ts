import { spacedCountOf } from '../../count.ts'
import type { Stats } from '../../load/figures/histogram.ts'
import type { LoadResult } from '../../load/figures/result.ts'
import type { Objective } from '../../load/schedule/objective.ts'
import { type Html, html } from '../../markup/html.ts'
import { ms } from '../load/milliseconds.ts'
import { objectiveValue } from '../load/objective-value.ts'
import { badOf } from '../load/report.ts'

interface Figure {
  readonly name: string
  readonly value: string
  readonly detail: string
  /** Whether an objective is about this figure. */
  readonly isOf: (subject: Objective['subject']) => boolean
}

/** What people come for: four figures, each with the objectives that are about it, and then all other objectives. */
export function keyFigures(result: LoadResult, objectives: readonly Objective[]): Html {
  const figures = figuresOf(result)
  const isOfNone = (subject: Objective['subject']): boolean => !figures.some(({ isOf }) => isOf(subject))
  const about = (isOf: Figure['isOf']): LoadResult['slo'] => {
    const own = new Set(objectives.filter(({ subject }) => isOf(subject)).map(({ expression }) => expression))
    return result.slo.filter(({ expression }) => own.has(expression))
  }
  const line = (one: LoadResult['slo'][number]): Html => objectiveLine(one, objectives)
  return html`<ul class="figures">${figures.map(({ name, value, detail, isOf }) => {
    const verdicts = about(isOf)
    const edge = verdicts.length === 0 ? '' : verdicts.every(({ pass }) => pass) ? 'edge-good' : 'edge-bad'
    return html`<li class="${edge}"><span class="dim">${name}</span><strong>${value}</strong><p class="dim">${detail}</p>${verdicts.map(line)}</li>`
  })}</ul>${about(isOfNone).map(line)}`
}

function objectiveLine(one: LoadResult['slo'][number], objectives: readonly Objective[]): Html {
  const { expression, pass, unreliable } = one
  const measured = objectiveValue(one, objectives) ?? 'nothing was measured'
  return html`<p class="${pass ? 'good' : 'bad'}">${pass ? '✓' : '✗'} ${expression}: ${measured}${unreliable === true && ', of too few requests to rely on'}</p>`
}

function figuresOf(result: LoadResult): readonly Figure[] {
  const { metrics, goodput, outcomes, slo, throughput } = result
  const [ttft, gap, bad] = [metrics.ttft.response, metrics.gap.service, badOf(result)]
  const share = outcomes.sent === 0 ? '–' : `${((bad / outcomes.sent) * 100).toFixed(2)} %`
  return [
    {
      name: 'Time to first token, p95',
      value: withUnit(ttft.p95),
      detail: `p50 ${withUnit(ttft.p50)}${doubt(ttft)}`,
      isOf: (subject) => subject.kind === 'metric' && subject.metric === 'ttft',
    },
    {
      name: 'Inter-token latency, p99',
      value: withUnit(gap.p99),
      detail: `p50 ${withUnit(gap.p50)}${doubt(gap)}`,
      isOf: (subject) => subject.kind === 'metric' && ['gap', 'itl', 'tpot'].includes(subject.metric),
    },
    {
      name: 'Goodput',
      value: outcomes.ok === 0 ? '–' : `${goodput.requestsPerS.toFixed(2)}/s`,
      detail: `${slo.length === 0 ? 'complete replies' : 'replies each of which met every objective'}; ${Math.round(throughput.tokensPerS).toLocaleString('en-US')} tokens/s`,
      isOf: (subject) => subject.kind === 'figure' && subject.figure !== 'errors',
    },
    {
      name: 'Errors',
      value: share,
      detail: `${bad.toLocaleString('en-US')} of ${spacedCountOf(outcomes.sent, 'request')}`,
      isOf: (subject) => subject.kind === 'figure' && subject.figure === 'errors',
    },
  ]
}

function withUnit(value: number): string {
  return Number.isNaN(value) ? '–' : `${ms(value)} ms`
}

function doubt({ unreliable, count }: Stats): string {
  return count > 0 && unreliable.includes('p95') ? '; too few requests to rely on' : ''
}
