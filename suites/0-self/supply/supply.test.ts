import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lockedPackages } from '../../../bench/docs/licences.ts'
import { packageFolder } from '../../../src/fixtures.ts'

const locked = lockedPackages()
const textOf = (file: string): string => readFileSync(join(packageFolder, file), 'utf8')

/** Packages with a script at their installation, and what that does. */
const withScripts: Readonly<Record<string, string>> = {
  esbuild: 'for development: puts the binary of its own platform package in place',
  'msgpackr-extract':
    'optional, of bullmq: takes a prebuilt addon of its own platform package, or builds it; works without',
  node: 'for development: installs its own platform package, which is Node itself, through npm',
}

describe('the packages that are installed', () => {
  test('run nothing at their installation but what is known', () => {
    const found = locked.filter(({ hasInstallScript }) => hasInstallScript === true)
    expect(found.map(({ name }) => name)).toEqual(Object.keys(withScripts))
    expect(found.filter(({ dev }) => dev !== true).map(({ name }) => name)).toEqual(['msgpackr-extract'])
  })

  test('and in a checkout no script runs that is not allowed by name', () => {
    const { allowScripts } = JSON.parse(textOf('package.json')) as { readonly allowScripts: Record<string, boolean> }
    expect(Object.keys(allowScripts).filter((name) => !(name in withScripts))).toEqual([])
  })

  test('are under licences that ask for nothing but their notice', () => {
    const known = /^(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|\(MIT AND Zlib\))$/
    const shipped = locked.filter(({ dev }) => dev !== true)
    expect(shipped.length).toBeGreaterThan(50)
    expect(shipped.filter(({ license }) => !known.test(license))).toEqual([])
  })
})

describe('the threat model', () => {
  const rows = textOf('SECURITY.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| asset'))

  test('has at least ten lines', () => expect(rows.length).toBeGreaterThanOrEqual(10))

  test.each(rows)('names tests that exist: %s', (row) => {
    const proof = row.split(' | ').at(-1) ?? ''
    const tests = [...proof.matchAll(/`([\w./-]+\.(?:test|servers)\.ts)`/g)].map(([, path = '']) => path)
    expect(tests.length).toBeGreaterThan(0)
    expect(tests.filter((path) => !existsSync(join(packageFolder, path)))).toEqual([])
  })
})
