import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { type Clause, parseContract } from './contract/clauses.ts'
import { textAt } from './json.ts'

/** The package's folder, in a checkout and in an installed package alike. */
export const packageFolder = dirname(findPackageJSON(import.meta.url) ?? '.')

export const version =
  textAt(JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')), 'version') ?? '0.0.0'

export function readFixture(...path: readonly string[]): string {
  return readFileSync(join(packageFolder, 'fixtures', ...path), 'utf8')
}

export function readContract(): readonly Clause[] {
  return parseContract(readFixture('contract', 'v1.md'))
}
