import { setTimeout as sleep } from 'node:timers/promises'
import { rules } from '../repeat/rules.ts'
import { retryAfterMs } from '../wire/retry-after.ts'
import { headerOf } from '../wire/transcript.ts'
import { type Answer, isDecisive, isSuccess, resemblesCompletion, type StreamAnswer } from './answer.ts'
import { briefTokens, chatRequest, modelsPath } from './chat.ts'
import { noAnswer } from './contact/no-answer.ts'
import { refuseServedModel, refuseWhatCannotBeJudged } from './contact/refuse.ts'
import { withinBudget } from './contact/within-budget.ts'
import { cheapestFirst, type RosterModel, rosterOf } from './roster.ts'
import type { Target } from './target.ts'

/** What was learnt about the target before the first check. Plain data: it crosses threads. */
export interface Prepared {
  /** The listed models in the list's order, without the one that is known to be unavailable. */
  readonly roster: readonly RosterModel[]
  /** The model to use; absent when none is known, which blocks every check that needs one. */
  readonly model?: string
  /** Which modes answered a plain request, which the checks then use as their control. */
  readonly works: { readonly json: boolean; readonly stream: boolean }
  /** The time limit for silence, raised for a slow target. */
  readonly silenceMsMax: number
  /** What a plain request took, in milliseconds. */
  readonly plainMs: number
  /** What a plain request of each mode took, in milliseconds. */
  readonly modeMs: { readonly json: number; readonly stream: number }
  /** Set for slow targets: checks then try fewer of the values that each cost a reply. */
  readonly isSlow?: true
  /** Set where a request without `stream` gets no reply and one with `stream: false` does: the others then say so. */
  readonly streamsUnasked?: true
  /** Milliseconds per token in the slowest warm-up reply, including the wait for the first. */
  readonly msPerToken: number
}

interface WarmUp {
  readonly json: Answer
  readonly streamsUnasked: boolean
  readonly stream: StreamAnswer
}

/** What a target without a list is asked for: many answer any name. */
export const preflightModel = 'assay-preflight'

const pauseMs = 50
const pauseMsMax = 5000
const candidatesMax = 3
const slownessFactor = 5

/**
 * First contact: finds out whether anything can be judged, chooses a model and measures how slow the target is.
 * Throws `HarnessError` (exit 3) when nothing answers, a key or a model stands in the way, or nothing resembles the API.
 */
export function prepare(target: Target): Promise<Prepared> {
  return withinBudget(target, meet(target))
}

async function meet(target: Target): Promise<Prepared> {
  const { config } = target
  const list = await persist(() => target.send({ method: 'GET', path: modelsPath }))
  if (list.exchange.ending === 'unreachable') throw await noAnswer(config, list.exchange)
  const listed = rosterOf(list)
  if (listed.some(({ id }) => id === config.unavailableModel)) await refuseServedModel(target)
  const roster = listed.filter(({ id }) => id !== config.unavailableModel)
  const candidates = config.model === undefined ? cheapestFirst(roster).map(({ id }) => id) : [config.model]
  const tried: WarmUp[] = []
  let model = candidates[0]
  // What our nodes serve is known, whatever the list says.
  const unlisted = new Set([config.nodes?.model ?? preflightModel, preflightModel])
  for (const candidate of candidates.length === 0 ? unlisted : candidates.slice(0, candidatesMax)) {
    const warm = await warmUp(target, candidate)
    tried.push(warm)
    if (!isSuccess(warm.json) && !isSuccess(warm.stream)) continue
    model = candidate
    break
  }
  const chat = tried.flatMap(({ json, stream }) => [json, stream])
  await refuseWhatCannotBeJudged(target, { list, roster, chat })
  const last = tried.at(-1)
  const slowestMs = Math.max(...[list, ...chat].filter(isSuccess).map(({ exchange }) => exchange.endedAtMs), 0)
  return {
    roster,
    ...(model === undefined ? {} : { model }),
    works: {
      json: last !== undefined && isDecisive(last.json) && resemblesCompletion(last.json),
      stream: last !== undefined && isWhole(last.stream) && isSuccess(last.stream) && last.stream.chunks.length > 0,
    },
    silenceMsMax: Math.max(config.timeoutMs, slownessFactor * slowestMs),
    plainMs: slowestMs,
    ...(last?.streamsUnasked === true && { streamsUnasked: true }),
    modeMs: { json: last?.json.exchange.endedAtMs ?? 0, stream: last?.stream.exchange.endedAtMs ?? 0 },
    msPerToken: slowestMs / briefTokens,
  }
}

async function warmUp(target: Target, model: string): Promise<WarmUp> {
  const [json, stream] = await Promise.all([
    persist(() => target.send(chatRequest(model, {}))),
    persist(() => target.stream(chatRequest(model, { stream: true }))),
  ])
  if (!isSuccess(json) || resemblesCompletion(json)) return { json, stream, streamsUnasked: false }
  const unstreamed = await persist(() => target.send(chatRequest(model, { stream: false })))
  if (!resemblesCompletion(unstreamed)) return { json, stream, streamsUnasked: false }
  return { json: unstreamed, stream, streamsUnasked: true }
}

/** One that is longer than was read cannot be a control for others. */
function isWhole(answer: Answer): boolean {
  return isDecisive(answer) && answer.isPartial !== true
}

/** The first decisive answer, or the last of several that are not. A silence costs too much to repeat. */
async function persist<A extends Answer>(ask: () => Promise<A>): Promise<A> {
  let answer = await ask()
  for (let attempt = 1; attempt < rules.contact.times && !isDecisive(answer); attempt += 1) {
    if (answer.exchange.ending === 'timeout' || answer.exchange.ending === 'unreachable') break
    await sleep(
      Math.min(retryAfterMs(headerOf(answer.exchange, 'retry-after'), Date.now()) ?? pauseMs * attempt, pauseMsMax),
    )
    answer = await ask()
  }
  return answer
}
