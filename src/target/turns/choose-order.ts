import { isSuccess } from '../answer.ts'
import { briefTokens, chatRequest } from '../chat.ts'
import type { Prepared } from '../prepare.ts'
import type { Target } from '../target.ts'
import { Unsettled } from '../unsettled.ts'
import { placesOf } from './many-at-once.ts'
import { servesOneAtATime } from './one-at-a-time.ts'

/** A brief reply that takes longer is worth shortening, where no two are written at once. */
const slowMs = 500
/** Where one takes longer, a run cannot ask all that it would, however many go at once. */
const longMs = 2000

/**
 * Chooses in which order requests go to a target whose time is short: what takes the least goes first, and one at a time where it
 * serves them so; and how many go at once to one whose answers begin late. Returns what is known of its pace then.
 */
export async function chooseOrder(target: Target, met: Prepared): Promise<Prepared> {
  const { model, works } = met
  const isOneAtATime = model !== undefined && works.stream && (await servesOneAtATime(target, model, met.plainMs))
  if (isOneAtATime) target.pacer.oneAtATime()
  const again = isOneAtATime && met.plainMs > slowMs ? await measuredAgain(target, met) : met
  const slowestMs = Math.max(again.modeMs.json, again.modeMs.stream)
  if (!isOneAtATime && slowestMs > longMs) target.pacer.leastFirst()
  else if (!isOneAtATime && model !== undefined && target.config.mayWiden)
    target.pacer.widen(await placesOf(target, model, slowestMs))
  return isOneAtATime && slowestMs > slowMs ? { ...again, isSlow: true } : again
}

/** What is slow at first may only have been starting, or have written the two replies one after the other. */
async function measuredAgain(target: Target, met: Prepared): Promise<Prepared> {
  const { model, modeMs, works } = met
  if (model === undefined || !works.json || !works.stream) return met
  try {
    const json = await target.send(chatRequest(model, {}))
    const stream = await target.stream(chatRequest(model, { stream: true }))
    if (!isSuccess(json) || !isSuccess(stream)) return met
    const least = {
      json: Math.min(modeMs.json, json.exchange.endedAtMs),
      stream: Math.min(modeMs.stream, stream.exchange.endedAtMs),
    }
    return { ...met, modeMs: least, msPerToken: Math.max(least.json, least.stream) / briefTokens }
  } catch (error) {
    // That the run is over or has stopped is for the checks to say.
    if (!(error instanceof Unsettled)) throw error
    return met
  }
}
