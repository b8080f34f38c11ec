import { checks } from '../../suites/index.ts'
import type { Check } from '../check/check.ts'
import { HarnessError } from '../harness-error.ts'

/** The check that a user named; throws a usage error where there is none of that id. */
export function checkNamed(id: string | undefined): Check {
  const check = checks.find((one) => one.id === id)
  if (check !== undefined) return check
  throw new HarnessError(
    'usage',
    id === undefined ? 'Which check? Give its id.' : `There is no check "${id}" (see the command list).`,
  )
}
