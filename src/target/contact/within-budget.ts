import { HarnessError } from '../../harness-error.ts'
import type { TargetConfig } from '../config.ts'
import type { Target } from '../target.ts'
import { Unsettled } from '../unsettled.ts'

/**
 * What comes of the first contact. Throws `HarnessError` where the time or the requests of the run are used up before. Its errors
 * name the options by which the user named this target.
 */
export async function withinBudget<T>({ over, config }: Target, contact: Promise<T>): Promise<T> {
  const outOfTime = over.then((reason): never => {
    throw new Unsettled('budget', reason)
  })
  try {
    return await Promise.race([contact, outOfTime])
  } catch (error) {
    if (error instanceof HarnessError && config.namedBy !== undefined) throw renamed(error, config.namedBy)
    if (!(error instanceof Unsettled)) throw error
    throw new HarnessError('budget', `The first contact could not be finished: ${error.message}.`)
  }
}

function renamed({ code, detail, next }: HarnessError, names: NonNullable<TargetConfig['namedBy']>): HarnessError {
  const said = Object.entries(names).reduce((text, [usual, typed]) => text.replaceAll(usual, typed), next)
  return new HarnessError(code, detail, { next: said })
}
