import { expect, test } from 'vitest'
import { commandName } from './command-name.ts'
import { installation } from './fixtures.ts'

test('a checkout has its scripts for some commands, and its file for the others', () => {
  expect(commandName('conformance', installation)).toBe('npm run conformance --')
  expect(commandName('replay', installation)).toBe('node bin/assay.cjs replay')
})

test('an installed package is called by its name', () => {
  const installed = { isCheckout: false, scripts: ['conformance'] }
  expect(commandName('conformance', installed)).toBe('npx inference-assay conformance')
})
