import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { assay } from '../suites/0-self/assay.ts'
import { commandName } from './command-name.ts'
import { installation, packageFolder } from './fixtures.ts'

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-name-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a checkout has its scripts for some commands, and its file for the others', () => {
  expect(commandName('conformance', installation, packageFolder)).toBe('npm run conformance --')
  expect(commandName('replay', installation, packageFolder)).toBe('node bin/assay.cjs replay')
})

test('from a folder inside it, npm finds the scripts, and the file is above', () => {
  const inside = join(packageFolder, 'src', 'cli')
  expect(commandName('conformance', installation, inside)).toBe('npm run conformance --')
  expect(commandName('replay', installation, inside)).toBe('node ../../bin/assay.cjs replay')
})

test('from any other folder a command works by its path, also where that has a package of its own', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'package.json'), '{}')
  mkdirSync(join(folder, 'below'))
  symlinkSync(packageFolder, join(folder, 'link'))
  for (const start of [folder, join(folder, 'below')]) {
    for (const command of ['conformance', 'replay']) {
      const [, path = '', name] = /^node (\S+) (\w+)$/.exec(commandName(command, installation, start)) ?? []
      expect([resolve(start, path), name]).toEqual([join(packageFolder, 'bin', 'assay.cjs'), command])
    }
  }
  expect(commandName('conformance', installation, join(folder, 'link'))).toBe('npm run conformance --')
  const { out } = await assay(['conformance', '--help'], {}, folder)
  expect(out.split('\n')[0]).toBe(`${commandName('conformance', installation, folder)} [options]`)
})

test('an installed package is called by its name', () => {
  const installed = { isCheckout: false, scripts: ['conformance'] }
  expect(commandName('conformance', installed, '/')).toBe('npx inference-assay conformance')
})
