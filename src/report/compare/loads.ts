import { at, listAt, numberAt, textAt } from '../../json.ts'

/** The share of requests that failed. */
export function badShare(load: unknown): number {
  const sent = numberAt(load, 'outcomes', 'sent') ?? 0
  const ok = (numberAt(load, 'outcomes', 'ok') ?? 0) + (numberAt(load, 'outcomes', 'abortedByUs') ?? 0)
  return sent === 0 ? 0 : 1 - ok / sent
}

/** What of a plan changes the figures, besides its length. */
const planFields = ['arrivals', 'requestsMax', 'warmupMs', 'stream', 'maxTokens', 'promptChars', 'leavingShare']

/** Why two runs may differ although the gateway does not: their lengths, plans and models, and how far each can be trusted. */
export function cautionsOf(before: unknown, after: unknown): readonly string[] {
  const [wasMs, isMs] = [before, after].map((run) => numberAt(run, 'plan', 'durationMs') ?? 0)
  const [wasModel, isModel] = [before, after].map((run) => textAt(run, 'target', 'model'))
  const plans = planFields.flatMap((field) => {
    const [was, is] = [before, after].map((run) => JSON.stringify(at(run, 'plan', field)) ?? 'none')
    return was === is ? [] : [`Their plans differ in ${field}: ${was} before, ${is} after.`]
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
