import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readLoadSettings } from '../../src/cli/load/settings.ts'
import { packageFolder } from '../../src/fixtures.ts'
import { readSettings } from '../../src/run/settings.ts'
import { checks } from '../index.ts'
import { assay } from './assay.ts'

interface Block {
  readonly page: string
  readonly language: string
  /** What stands behind the language: the file that the block is taken from, or what it is. */
  readonly about: string
  readonly text: string
}

const pages = ['README.md', ...readdirSync(join(packageFolder, 'docs')).flatMap(pageOf)]
const textOf = (page: string): string => readFileSync(join(packageFolder, page), 'utf8')
const blocks = pages.flatMap(blocksOf)
const folder = mkdtempSync(join(tmpdir(), 'assay-docs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function pageOf(name: string): readonly string[] {
  return name.endsWith('.md') ? [`docs/${name}`] : []
}

function blocksOf(page: string): readonly Block[] {
  return [...textOf(page).matchAll(/^```(\w*) ?(.*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', about = '', text = '']) => ({ page, language, about, text }),
  )
}

const anyUrl = 'http://127.0.0.1:8080'

/** A line of a shell as words; quotes are the only thing of it that the pages use. */
function wordsOf(line: string): readonly string[] {
  const words = line.replace(/\s#.*$/, '').match(/'[^']*'|"[^"]*"|[^\s'"]+/g) ?? []
  return words.map((word) =>
    word
      .replace(/^(['"])(.*)\1$/, '$2')
      .replace(/^(\$[A-Z]+|….*)$/, anyUrl)
      .replace('…', 'gateway'),
  )
}

/** The calls of the command in a block, without the variables before them. */
const calls = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ page, text }) =>
    text
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line) => ({ page, line })),
  )
  .flatMap(({ page, line }) => {
    const [, tool = '', rest = ''] = /(?:npx assay|npm run) (\w[\w:]*)(.*)$/.exec(line) ?? []
    return tool === '' ? [] : [{ page, tool, args: wordsOf(rest).filter((word) => word !== '--'), line }]
  })

const helps = new Map<string, Promise<string>>()

function helpOf(command: string): Promise<string> {
  const known = helps.get(command) ?? assay([...command.split(' '), '--help']).then(({ out }) => out)
  helps.set(command, known)
  return known
}

describe('the commands of the pages', () => {
  test('there are some', () => expect(calls.length).toBeGreaterThan(25))

  test.each(calls)('$page: $line', async ({ tool, args }) => {
    const scripts = (JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }).scripts
    if (tool === 'conformance') readSettings(withoutFiles(args), {}, folder)
    else if (tool === 'load' && !args.includes('join') && !args.includes('calibrate'))
      readLoadSettings(args, {}, folder)
    else if (tool === 'explain' || tool === 'replay') expect(checks.map(({ id }) => id)).toContain(args[0])
    else expect(scripts[tool] ?? (await helpOf(tool))).not.toBe('')
    const help = await helpOf(args[0] === 'join' ? 'load join' : tool)
    for (const [, option = ''] of args.join(' ').matchAll(/--([\w-]+)/g)) expect(help).toContain(`--${option}`)
  })

  /** Files that a page names need not be there. */
  function withoutFiles(args: readonly string[]): readonly string[] {
    return args.filter((word, at) => word !== '--profile' && args[at - 1] !== '--profile')
  }
})

describe('the profiles of the pages', () => {
  const profiles = blocks.filter(
    ({ language, about, text }) => language === 'yaml' && (about === 'profile' || /^base-url:/m.test(text)),
  )
  test('there are some', () => expect(profiles.length).toBeGreaterThan(2))
  test.each(profiles)('$page', ({ text }) => {
    const file = join(folder, 'profile.yaml')
    writeFileSync(file, text)
    expect(readSettings(['--profile', file], {}, folder).plan.baseUrl).toMatch(/^http/)
  })
})

describe('what the pages quote', () => {
  const quoted = blocks.filter(({ about }) => about.endsWith('.ts'))
  test('there is some', () => expect(quoted.length).toBeGreaterThan(1))
  test.each(quoted)('$page: $about', ({ about, text }) => {
    const flat = (code: string): string => code.replace(/^\s+/gm, '')
    expect(flat(textOf(about))).toContain(flat(text))
  })
})

test('the checks that the pages name are there', () => {
  const ids: readonly string[] = checks.map(({ id }) => id)
  const areas = new Set(ids.map((id) => id.split('.')[0]))
  const named = pages
    .flatMap((page) => [...textOf(page).matchAll(/(?:`|^)(([a-z-]+)\.[a-z-]+)(?=`|:)/gm)])
    .flatMap(([, id = '', area = '']) => (areas.has(area) ? [id] : []))
  expect(named).toContain('relay.recovers')
  expect(named.filter((id) => !ids.includes(id))).toEqual([])
})

describe('the links of the pages', () => {
  test.each(pages)('%s', (page) => {
    for (const [, link = ''] of textOf(page).matchAll(/\]\((?!https?:)([^)#]+)/g))
      expect(existsSync(join(packageFolder, dirname(page), link)), link).toBe(true)
    for (const [, path = ''] of textOf(page).matchAll(
      /`((?:src|suites|fixtures|docs|bench|reference-server)\/[\w./-]*)`/g,
    ))
      expect(existsSync(join(packageFolder, path)), path).toBe(true)
  })
})
