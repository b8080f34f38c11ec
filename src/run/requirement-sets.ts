import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder, readFixture } from '../fixtures.ts'
import { HarnessError } from '../harness-error.ts'

/** The requirement sets by name, the newest first: lists of checks that never change again (`fixtures/contract/sets/`). */
export const requirementSets: readonly string[] = readdirSync(join(packageFolder, 'fixtures', 'contract', 'sets'))
  .map((file) => file.replace(/\.txt$/, ''))
  .sort()
  .reverse()

/** The checks on which a verdict of this set rests. */
export function readRequirementSet(name: string): readonly string[] {
  if (!requirementSets.includes(name))
    throw new HarnessError('usage', `--set ${name}: there is no such set; known are ${requirementSets.join(', ')}.`)
  return readFixture('contract', 'sets', `${name}.txt`)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
}
