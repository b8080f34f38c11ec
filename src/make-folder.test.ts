import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolder } from './make-folder.ts'

const base = mkdtempSync(join(tmpdir(), 'assay-folder-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

test('a folder is made with all that are missing above it, and the first of them is returned', () => {
  const deep = join(base, 'a', 'b', 'c')
  expect(makeFolder(deep)).toBe(join(base, 'a'))
  expect(statSync(deep).isDirectory()).toBe(true)
  expect(makeFolder(deep)).toBeUndefined()
})

test('a file where a folder should be is an error', () => {
  writeFileSync(join(base, 'file'), '')
  expect(() => makeFolder(join(base, 'file'))).toThrow('EEXIST')
  expect(() => makeFolder(join(base, 'file', 'below'))).toThrow('EEXIST')
})

test.runIf(existsSync('/proc/self'))(
  'a folder that the system does not have room for is an error, and no endless wait',
  () => {
    for (const folder of ['/proc/nope', '/proc/nope/deep']) expect(() => makeFolder(folder)).toThrow('ENOENT')
  },
)
