import type { Check } from '../../check/check.ts'
import type { CheckId } from '../../check/check-ids.ts'
import { costOf } from '../../check/cost.ts'
import type { Randomness } from '../../check/values/property.ts'
import type { Verdict } from '../../check/verdict.ts'
import { capabilitiesOf } from '../../target/capabilities.ts'
import type { TargetConfig } from '../../target/config.ts'
import type { Prepared } from '../../target/prepare.ts'
import type { Used } from '../../target/request.ts'
import { costUsd, sharedCost } from './cost.ts'
import { fitInto } from './fit.ts'

/** What a run is going to ask. */
export interface BudgetPlan {
  /** What it uses at most; `usd` is null when the list has no credible price. */
  readonly most: Used & { readonly usd: number | null }
  readonly tooDear: ReadonlyMap<CheckId, Verdict>
  /** The options that make room for every selected check; absent where there is room. */
  readonly roomForAll?: string
  /** Of the checks that were too dear and are not asked yet, those for which what is left of the budget has room. */
  moreFor(spent: Used): readonly Check[]
}

/** How the reason of a check begins for which there is no room. */
const needWords = 'needs a budget of'

export function isNeed(reason: string): boolean {
  return reason.startsWith(needWords)
}

const nothing: Used = { requests: 0, tokens: 0 }
const unlimited = Number.POSITIVE_INFINITY

/** Chooses the checks for which the options of a run leave room, before any of them is asked. */
export function planWithin(
  config: TargetConfig,
  prepared: Prepared,
  randomness: Randomness,
  all: readonly Check[],
  selected: readonly Check[],
): BudgetPlan {
  const { isQuick } = randomness
  const { requestsMax, tokensMax = unlimited, costUsdMax = unlimited, nodes } = config
  const usdPerToken = costUsd(1, prepared) ?? 0
  const available = capabilitiesOf(config)
  const lacks = ({ needs = [] }: Check): boolean => needs.some((capability) => !available.has(capability))
  // What is asked of other models is counted when it is asked.
  const modelIsOurs = nodes !== undefined && nodes.model === prepared.model
  const terms = { ...randomness, nodesAreOurs: nodes !== undefined, modelIsOurs }
  const room = {
    requests: requestsMax,
    tokens: Math.min(tokensMax, usdPerToken === 0 ? unlimited : costUsdMax / usdPerToken),
  }
  const needed = neededAmong(all, lacks)
  const costIn = (asked: ReadonlySet<CheckId>) => (check: Check) =>
    lacks(check) || asked.has(check.id) ? nothing : costOf(check, terms)
  // What cannot be asked costs nothing and notices nothing.
  const candidates = selected.filter((check) => !lacks(check))
  const first = fitInto(room, { selected: candidates, needed, costOf: costIn(new Set()), shared: sharedCost(selected) })
  const { most, tooDear } = first
  const asked = new Set(first.asked)
  const lackingFor = ({ requests, tokens }: Used): readonly Lacking[] => [
    ...(requests > requestsMax ? [{ what: `${requests} requests`, option: `--max-requests ${requests}` }] : []),
    ...(tokens > tokensMax ? [{ what: `${tokens} tokens`, option: `--max-tokens-total ${tokens}` }] : []),
    ...(tokens * usdPerToken > costUsdMax ? [dollars(tokens * usdPerToken)] : []),
  ]
  const last = [...tooDear.values()].at(-1)
  return {
    most: { ...most, usd: costUsd(most.tokens, prepared) },
    tooDear: new Map([...tooDear].map(([id, used]) => [id, isQuick === true ? leftOut : tooDearFor(lackingFor(used))])),
    ...(last !== undefined && { roomForAll: optionsOf(lackingFor(last)) }),
    moreFor({ requests, tokens }) {
      const left = candidates.filter(({ id }) => tooDear.has(id) && !asked.has(id))
      const rest = { requests: room.requests - requests, tokens: room.tokens - tokens }
      const next = fitInto(rest, { selected: left, needed, costOf: costIn(asked), shared: nothing, before: asked })
      for (const id of next.asked) asked.add(id)
      return left.filter(({ id }) => !next.tooDear.has(id))
    },
  }
}

/** Whoever asks for a quick run knows that it leaves out most of what is dear: that does not make it incomplete. */
const leftOut: Verdict = {
  kind: 'untestable',
  cause: 'capability',
  reason: `${needWords} more than --quick has: leave it out, or pass --max-requests and --max-tokens-total beside it`,
}

interface Lacking {
  readonly what: string
  /** What makes room for it. */
  readonly option: string
}

function tooDearFor(lacking: readonly Lacking[]): Verdict {
  const what = lacking.map((one) => one.what).join(' and ')
  return { kind: 'untestable', cause: 'budget', reason: `${needWords} ${what}: pass ${optionsOf(lacking)}` }
}

function optionsOf(lacking: readonly Lacking[]): string {
  return lacking.map(({ option }) => option).join(' ')
}

/** Rounded up, so that the sum is enough. */
function dollars(usd: number): Lacking {
  const sum = (Math.ceil(usd * 1000) / 1000).toFixed(3)
  return { what: `$${sum}`, option: `--max-cost ${sum}` }
}

/** Of a check, itself and all that it depends on; what lacks a capability is not asked, nor what only that needs. */
function neededAmong(all: readonly Check[], lacks: (check: Check) => boolean): (check: Check) => readonly Check[] {
  const byId = new Map(all.map((check) => [check.id, check]))
  const known = new Map<Check, readonly Check[]>()
  return function needed(check: Check): readonly Check[] {
    const found = known.get(check)
    if (found !== undefined) return found
    const others = lacks(check) ? [] : (check.dependsOn ?? []).flatMap((id) => byId.get(id) ?? []).flatMap(needed)
    const made = [...new Set([check, ...others])]
    known.set(check, made)
    return made
  }
}
