import { checks } from '../../suites/index.ts'
import type { Check } from '../check/check.ts'
import { didYouMean } from '../did-you-mean.ts'
import { HarnessError } from '../harness-error.ts'

/** The check whose id a user gave; throws a usage error if no check has it. */
export function checkNamed(id: string | undefined): Check {
  const ids: readonly string[] = checks.map((one) => one.id)
  const check = checks.find((one) => one.id === id)
  if (check !== undefined) return check
  throw new HarnessError(
    'usage',
    id === undefined
      ? 'Which check? Give its id; the command list prints them.'
      : `There is no check "${id}".${didYouMean(id, ids) || ' The command list prints them.'}`,
  )
}
