import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { folderProblem, pagesInFiles, tryOutputs, writeOutputs } from './outputs.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-outputs-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('folders of files are made, and a file that is tried stays as it was', () => {
  const [kept, fresh] = [join(folder, 'kept.json'), join(folder, 'a', 'b', 'fresh.json')]
  writeFileSync(kept, 'of an earlier run')
  tryOutputs([{ format: 'terminal' }, { format: 'json', file: kept }, { format: 'html', file: fresh }])
  expect(readFileSync(kept, 'utf8')).toBe('of an earlier run')
  expect([existsSync(join(folder, 'a', 'b')), existsSync(fresh)]).toEqual([true, false])
})

test('a file below a file, a folder in the place of a file, and one file for two reports are refused by name', () => {
  writeFileSync(join(folder, 'file'), '')
  mkdirSync(join(folder, 'sub'))
  const below = join(folder, 'file', 'run.json')
  expect(() => tryOutputs([{ format: 'json', file: below }])).toThrow(
    `--report json=${below} cannot be written: there is a file where a folder should be`,
  )
  const place = join(folder, 'sub')
  expect(() => tryOutputs([{ format: 'json', file: place }])).toThrow(
    `--report json=${place} cannot be written: it is a folder`,
  )
  const file = join(folder, 'run')
  const twice = [
    { format: 'json', file },
    { format: 'html', file },
  ]
  expect(() => tryOutputs(twice)).toThrow(`Two reports have the same file, ${file}`)
})

test('a page is not printed on a terminal, but written to a file that is named', () => {
  const said: string[] = []
  const outputs = [{ format: 'html' }, { format: 'json' }, { format: 'html', file: 'mine.html' }]
  const io = { folder, err: (line: string) => void said.push(line) }
  expect(pagesInFiles(outputs, { ...io, terminal: false })).toEqual(outputs)
  expect(said).toEqual([])
  expect(pagesInFiles(outputs, { ...io, terminal: true })).toEqual([
    { format: 'html', file: join(folder, 'assay.html') },
    ...outputs.slice(1),
  ])
  expect(said).toEqual([expect.stringContaining('assay.html')])
})

test('a folder is tried without leaving anything', () => {
  expect(folderProblem(join(folder, 'a', 'b'))).toBeUndefined()
  expect(readdirSync(folder)).toEqual([])
  writeFileSync(join(folder, 'file'), '')
  expect(folderProblem(join(folder, 'file', 'b'))).toContain('there is a file')
  mkdirSync(join(folder, 'there'))
  expect(folderProblem(join(folder, 'there'))).toBeUndefined()
  expect(readdirSync(folder).sort()).toEqual(['file', 'there'])
})

test('what cannot be made or written keeps nothing else from being written', () => {
  const printed: string[] = []
  const outputs = [
    { format: 'json', file: join(folder, 'missing', 'run.json') },
    { format: 'broken', file: join(folder, 'broken') },
    { format: 'terminal' },
    { format: 'html', file: join(folder, 'run.html') },
  ]
  const textOf = ({ format }: { readonly format: string }): string => {
    if (format === 'broken') throw new TypeError('this format has a bug')
    return `as ${format}\n`
  }
  const problems = writeOutputs(outputs, textOf, (text) => printed.push(text))
  expect(problems).toEqual([
    expect.stringMatching(/^--report json=.*run\.json was not written: ENOENT/),
    expect.stringContaining('this format has a bug'),
  ])
  expect(printed).toEqual(['as terminal'])
  expect(readFileSync(join(folder, 'run.html'), 'utf8')).toBe('as html\n')
})
