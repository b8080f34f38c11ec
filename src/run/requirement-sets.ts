import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../fixtures.ts'

/** The requirement sets by name, the newest first: lists of checks that never change again (`fixtures/contract/sets/`). */
export const requirementSets: readonly string[] = readdirSync(join(packageFolder, 'fixtures', 'contract', 'sets'))
  .map((file) => file.replace(/\.txt$/, ''))
  .sort()
  .reverse()
