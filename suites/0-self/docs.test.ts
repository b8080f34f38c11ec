import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { blocksIn, fillBlocks } from '../../bench/docs/blocks.ts'
import { pages, readPage } from '../../bench/docs/pages.ts'
import { generatedParts } from '../../bench/docs/parts.ts'
import { commands } from '../../src/cli/commands.ts'
import { readLoadSettings } from '../../src/cli/load/settings.ts'
import { packageFolder } from '../../src/fixtures.ts'
import { readSettings } from '../../src/run/settings.ts'
import { checks } from '../index.ts'
import { assay } from './assay.ts'

interface Block {
  readonly page: string
  readonly language: string
  /** What stands after the language: the file that the block quotes, or what it is. */
  readonly about: string
  readonly text: string
}

const textOf = (file: string): string => readFileSync(join(packageFolder, file), 'utf8')
const blocks = pages.flatMap(blocksOf)
const folder = mkdtempSync(join(tmpdir(), 'assay-docs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function blocksOf(page: string): readonly Block[] {
  return [...readPage(page).matchAll(/^```(\w*) ?(.*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', about = '', text = '']) => ({ page, language, about, text }),
  )
}

const anyUrl = 'http://127.0.0.1:8080'

/** A shell line as words; of the shell's syntax the pages only use quotes. */
function wordsOf(line: string): readonly string[] {
  const words = line.replace(/\s#.*$/, '').match(/'[^']*'|"[^"]*"|[^\s'"]+/g) ?? []
  return words.map((word) =>
    word
      .replace(/^(['"])(.*)\1$/, '$2')
      .replace(/^(\$[A-Z]+|….*)$/, anyUrl)
      .replace('…', 'gateway'),
  )
}

/** The calls of the command in the pages, without the variables before them. */
const calls = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ page, text }) =>
    text
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line) => ({ page, line })),
  )
  .flatMap(({ page, line }) => {
    const [, tool = '', rest = ''] =
      /(?:npx inference-assay|npm run|node bin\/assay\.cjs) (\w[\w:]*)(.*)$/.exec(line) ?? []
    return tool === '' ? [] : [{ page, tool, args: wordsOf(rest).filter((word) => word !== '--'), line }]
  })

const helps = new Map<string, Promise<string>>()

function helpOf(command: string): Promise<string> {
  const known = helps.get(command) ?? assay([...command.split(' '), '--help']).then(({ out }) => out)
  helps.set(command, known)
  return known
}

describe('the commands of the pages', () => {
  test('exist', () => expect(calls.length).toBeGreaterThan(25))

  test.each(calls)('$page: $line', async ({ tool, args }) => {
    const scripts = (JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }).scripts
    if (tool === 'conformance') readSettings(withoutFiles(args), {}, folder)
    else if (tool === 'load' && !args.includes('join') && !args.includes('calibrate'))
      readLoadSettings(args, {}, folder)
    else if (tool === 'explain' || tool === 'replay') expect(checks.map(({ id }) => id)).toContain(args[0])
    else expect({ ...scripts, ...commands }).toHaveProperty([tool])
    const help = tool in commands ? await helpOf(args[0] === 'join' ? 'load join' : tool) : ''
    for (const [, option = ''] of args.join(' ').matchAll(/--([\w-]+)/g)) expect(help).toContain(`--${option}`)
  })

  /** Files that a page names need not exist. */
  function withoutFiles(args: readonly string[]): readonly string[] {
    return args.filter((word, at) => word !== '--profile' && args[at - 1] !== '--profile')
  }
})

describe('the profiles of the pages', () => {
  const profiles = blocks.filter(
    ({ language, about, text }) => language === 'yaml' && (about === 'profile' || /^base-url:/m.test(text)),
  )
  test('exist', () => expect(profiles.length).toBeGreaterThan(2))
  test.each(profiles)('$page', ({ text }) => {
    const file = join(folder, 'profile.yaml')
    writeFileSync(file, text)
    expect(readSettings(['--profile', file], {}, folder).plan.baseUrl).toMatch(/^http/)
  })
})

describe('the quotes of the pages', () => {
  const quoted = blocks.filter(({ about }) => about.endsWith('.ts'))
  test('exist', () => expect(quoted.length).toBeGreaterThan(1))
  test.each(quoted)('$page: $about', ({ about, text }) => {
    const flat = (code: string): string => code.replace(/^\s+/gm, '')
    expect(flat(textOf(about))).toContain(flat(text))
  })
})

test('the checks that the pages name exist', () => {
  const ids: readonly string[] = checks.map(({ id }) => id)
  const areas = new Set(ids.map((id) => id.split('.')[0]))
  const named = pages
    .flatMap((page) => [...readPage(page).matchAll(/(?:`|^)(([a-z-]+)\.[a-z-]+)(?=`|:)/gm)])
    .flatMap(([, id = '', area = '']) => (areas.has(area) ? [id] : []))
  expect(named).toContain('relay.recovers')
  expect(named.filter((id) => !ids.includes(id))).toEqual([])
})

describe('the links of the pages', () => {
  test.each(pages)('%s', (page) => {
    for (const [, link = '', anchor = ''] of readPage(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
      const target = link === '' ? page : join(dirname(page), link)
      expect(existsSync(join(packageFolder, target)), link).toBe(true)
      if (anchor !== '') expect(anchorsOf(textOf(target)), `${link}#${anchor}`).toContain(anchor)
    }
    for (const [, path = ''] of readPage(page).matchAll(
      /`((?:src|suites|detection|fixtures|docs|bench|bin|reference-server)\/[\w./-]*)`/g,
    ))
      expect(existsSync(join(packageFolder, path)), path).toBe(true)
  })

  /** The anchors of headings, as GitHub makes them. */
  function anchorsOf(text: string): readonly string[] {
    return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    )
  }
})

describe('the generated parts of the pages', async () => {
  const parts = await generatedParts()

  test.each(pages)('%s is what npm run docs writes', (page) => {
    expect(readPage(page)).toBe(fillBlocks(readPage(page), parts))
  })

  test('are all on a page, and every mark names a part', () => {
    const speed = ['speed:machine', 'speed:alone', 'speed:forwarding', 'speed:crowds', 'speed:footprint']
    const byHand = ['sample', 'quick', 'detection', 'relay-matrix', ...speed]
    const marked = pages.flatMap((page) => blocksIn(readPage(page)))
    expect([...new Set(marked)].sort()).toEqual([...parts.keys(), ...byHand].sort())
  })
})

describe('the README', () => {
  test('fits in 120 lines', () => expect(readPage('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120))

  test('has pictures of at most 120 kB', () => {
    const pictures = readdirSync(join(packageFolder, 'docs', 'pictures'))
    expect(pictures.length).toBeGreaterThan(2)
    for (const name of pictures)
      expect(statSync(join(packageFolder, 'docs', 'pictures', name)).size, name).toBeLessThanOrEqual(120_000)
  })
})

/** Outside a checkout `npx assay` is another package, so what somebody may copy says `npx inference-assay`. */
const examples = readdirSync(join(packageFolder, 'docs', 'examples')).map((name) => `docs/examples/${name}`)
test.each([...pages, 'action.yml', 'Dockerfile', ...examples])(
  '%s never spells the command as `assay` or `npx assay`',
  (file) => {
    const names = Object.keys(commands).join('|')
    const other = new RegExp(`npx assay\\b|(?:^|\`|\\$ )assay (?:${names})\\b`, 'gm')
    expect(textOf(file).match(other) ?? []).toEqual([])
  },
)
