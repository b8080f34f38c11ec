import { isSuccess } from '../answer.ts'
import { chatRequest } from '../chat.ts'
import type { Target } from '../target.ts'
import { Unsettled } from '../unsettled.ts'

/** How many go at once, over what goes at once of any target. */
const factor = 2
/** Where a plain request takes less, a run is short as it is. */
const plainMsMin = 100
/** How much longer each may take than a plain request by itself. */
const slowdownMax = 1.25

/**
 * How many requests may go at once to a target whose answers begin late: twice as many as usual if so many get their answers in the
 * time that one takes, and otherwise as many as usual.
 */
export async function placesOf(target: Target, model: string, plainMs: number): Promise<number> {
  const { concurrency } = target.config
  if (plainMs < plainMsMin) return concurrency
  try {
    const asked = Array.from({ length: factor * concurrency }, () =>
      target.send(chatRequest(model, {}, { burst: true })),
    )
    const answers = await Promise.all(asked)
    const areAsFast = answers.every((answer) => isSuccess(answer) && answer.exchange.endedAtMs <= slowdownMax * plainMs)
    return areAsFast ? factor * concurrency : concurrency
  } catch (error) {
    // That the run is over or has stopped is for the checks to say.
    if (!(error instanceof Unsettled)) throw error
    return concurrency
  }
}
