import { HarnessError } from '../../harness-error.ts'
import type { Target } from '../target.ts'
import { Unsettled } from '../unsettled.ts'

/** What comes of the first contact. Throws `HarnessError` where the time or the requests of the run are used up before. */
export async function withinBudget<T>({ over }: Target, contact: Promise<T>): Promise<T> {
  const outOfTime = over.then((reason): never => {
    throw new Unsettled('budget', reason)
  })
  try {
    return await Promise.race([contact, outOfTime])
  } catch (error) {
    if (!(error instanceof Unsettled)) throw error
    throw new HarnessError('budget', `The first contact could not be finished: ${error.message}.`)
  }
}
