import { countOf } from '../../count.ts'
import { at, listAt, numberAt, textAt } from '../../json.ts'

/** The share of requests that failed. */
export function badShare(load: unknown): number {
  const sent = numberAt(load, 'outcomes', 'sent') ?? 0
  const ok = (numberAt(load, 'outcomes', 'ok') ?? 0) + (numberAt(load, 'outcomes', 'abortedByUs') ?? 0)
  return sent === 0 ? 0 : 1 - ok / sent
}

/** What of a plan changes the figures, besides its length: the field, its name in words, and how its value is said. */
const planFields: readonly (readonly [field: string, name: string, said: (value: unknown) => string])[] = [
  ['arrivals', 'load', arrivalsWords],
  ['requestsMax', 'the most requests', said],
  ['warmupMs', 'warm-up', (value) => (typeof value === 'number' ? `${value / 1000} s` : said(value))],
  ['stream', 'streaming', (value) => (value === true ? 'on' : value === false ? 'off' : said(value))],
  ['maxTokens', 'the token limit of a reply', said],
  ['promptChars', 'the characters of a prompt', said],
  [
    'leavingShare',
    'the share of clients that leave',
    (value) => (typeof value === 'number' ? `${value * 100} %` : said(value)),
  ],
]

function said(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}

/** How requests started, as a report keeps it. */
function arrivalsWords(arrivals: unknown): string {
  const most = numberAt(arrivals, 'connectionsMax')
  const limit = most === undefined ? '' : `, at most ${most} at once`
  switch (textAt(arrivals, 'kind')) {
    case 'closed':
      return countOf(numberAt(arrivals, 'connections') ?? 0, 'connection')
    case 'trace':
      return `a trace of ${countOf(listAt(arrivals, 'entries').length, 'request')}${limit}`
    case 'open': {
      const stages = listAt(arrivals, 'stages').map((stage) => {
        const [from, to] = [numberAt(stage, 'from'), numberAt(stage, 'to')]
        return from === to ? `${from}` : `${from} to ${to}`
      })
      return `${stages.join(', then ')} requests per second (${textAt(arrivals, 'process')})${limit}`
    }
    default:
      return said(arrivals)
  }
}

/** Why two runs may differ although the gateway does not: their lengths, plans and models, and how far each can be trusted. */
export function cautionsOf(before: unknown, after: unknown): readonly string[] {
  const [wasMs, isMs] = [before, after].map((run) => numberAt(run, 'plan', 'durationMs') ?? 0)
  const [wasModel, isModel] = [before, after].map((run) => textAt(run, 'target', 'model'))
  const plans = planFields.flatMap(([field, name, inWords]) => {
    const [was, is] = [at(before, 'plan', field), at(after, 'plan', field)]
    if (said(was) === said(is)) return []
    if (inWords(was) !== inWords(is))
      return [`Their plans differ in ${name}: ${inWords(was)} before, ${inWords(is)} after.`]
    // The lengths of its stages, which add up to that of the run, or what a trace asks for.
    return wasMs === isMs ? [`Their plans differ in the details of ${name}, which is ${inWords(was)} in both.`] : []
  })
  const trust = [before, after].flatMap((run, place) => {
    const verdict = textAt(run, 'validity', 'verdict')
    if (verdict === undefined || verdict === 'valid') return []
    const [reason] = listAt(run, 'validity', 'reasons')
    return [
      `The measurement ${place === 0 ? 'before' : 'after'} is ${verdict}${reason === undefined ? '' : `: ${reason}`}.`,
    ]
  })
  return [
    ...(wasMs === isMs
      ? []
      : [`They differ in length: ${(wasMs ?? 0) / 1000} s before, ${(isMs ?? 0) / 1000} s after.`]),
    ...(wasModel === isModel ? [] : [`They are of different models: ${wasModel} before, ${isModel} after.`]),
    ...plans,
    ...trust,
  ]
}
