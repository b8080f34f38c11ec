import type { Check } from '../../check/check.ts'
import { usdPerTokenOf } from '../../target/limits/budget.ts'
import type { Prepared } from '../../target/prepare.ts'
import type { Used } from '../../target/request.ts'

export function sumOf(costs: readonly Used[]): Used {
  return {
    requests: costs.reduce((sum, { requests }) => sum + requests, 0),
    tokens: costs.reduce((sum, { tokens }) => sum + tokens, 0),
  }
}

/** The first contact, and finding out whether a target serves one request at a time. */
const contact: Used = { requests: 20, tokens: 1000 }
/** Samples and texts that several checks look at, of six models. */
const samples: Used = { requests: 30, tokens: 3000 }

/** What a run uses at most besides the checks' own costs. */
export function sharedCost(checks: readonly Check[]): Used {
  return checks.some(({ phase }) => phase === 'audit') ? sumOf([contact, samples]) : contact
}

/** The price of some tokens of the model in use, in US dollars; null when the list has none that can be believed. */
export function costUsd(tokens: number, { roster, model }: Pick<Prepared, 'roster' | 'model'>): number | null {
  const listed = roster.find(({ id }) => id === model)
  const price = listed && usdPerTokenOf(listed)
  return price === undefined ? null : tokens * price
}
