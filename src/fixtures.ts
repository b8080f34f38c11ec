import { existsSync, readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { type Clause, parseContract } from './contract/clauses.ts'
import { at, textAt } from './json.ts'

/** The package's folder, in a checkout and in an installed package alike. */
export const packageFolder = dirname(findPackageJSON(import.meta.url) ?? '.')

const packageJson: unknown = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))

export const version = textAt(packageJson, 'version') ?? '0.0.0'

/** A checkout has sources, which the published package does not. */
export const installation = {
  isCheckout: existsSync(join(packageFolder, 'src', 'cli', 'main.ts')),
  scripts: Object.keys(Object(at(packageJson, 'scripts'))),
}

export function readFixture(...path: readonly string[]): string {
  return readFileSync(join(packageFolder, 'fixtures', ...path), 'utf8')
}

export function readContract(): readonly Clause[] {
  return parseContract(readFixture('contract', 'v1.md'))
}
