import { existsSync, readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { Ajv } from 'ajv'
import { XMLParser } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import type { SerializedResult } from '../../check/result.ts'
import type { Verdict } from '../../check/verdict.ts'
import { commandName } from '../../command-name.ts'
import { readContract } from '../../fixtures.ts'
import { nasty, report, result, rulesOf } from '../test-tools.ts'
import { renderBadge, renderBadgeSvg } from './badge.ts'
import { differencesOf } from './differences.ts'
import { renderGithub } from './github.ts'
import { type JsonReport, readJson, renderJson } from './json.ts'
import { renderJunit } from './junit.ts'
import { renderMarkdown } from './markdown.ts'
import { renderPassport } from './passport.ts'
import { renderSarif } from './sarif.ts'
import { renderTerminal } from './terminal.ts'

const sentence = 'A reply holds a script.'
const failed: Verdict = { kind: 'fail', wrong: sentence, what: nasty, expected: nasty, actual: 'nothing' }
const mixed = [
  result('a.passes', 'must', { kind: 'pass', proofs: 3 }),
  result('a.fails', 'must', failed),
  result('a.should', 'should', failed),
  { ...result('a.known', 'must', failed), known: { reason: 'mended soon', flaky: false } } as SerializedResult,
  result('a.seen', 'open', { kind: 'observed', value: { nasty } }),
  result('a.undecided', 'must', { kind: 'untestable', cause: 'target', reason: 'needs more' }),
  result('a.blocked', 'must', { kind: 'blocked', by: 'a.fails' }),
]

const rules = rulesOf(mixed)
const red = report(mixed, 1)
const green = report(mixed.slice(0, 1), 0)
const contract = readContract()

describe('SARIF', () => {
  const log = JSON.parse(renderSarif(red, rules))

  test('has the checks as rules and failures as results, known failures left out', () => {
    const [run] = log.runs
    expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(mixed.map(({ id }) => id))
    expect(run.results.map(({ ruleId, level }: { ruleId: string; level: string }) => [ruleId, level])).toEqual([
      ['a.fails', 'error'],
      ['a.should', 'warning'],
    ])
    for (const { ruleId, ruleIndex } of run.results) expect(run.tool.driver.rules[ruleIndex].id).toBe(ruleId)
  })

  const schemaFile = process.env['SARIF_SCHEMA'] ?? ''
  test.skipIf(!existsSync(schemaFile))('is valid by the schema of its standard, where SARIF_SCHEMA names it', () => {
    // Its draft differs from newer ones in nothing that it uses but its own name.
    const { $schema: _, id: __, ...schema } = JSON.parse(readFileSync(schemaFile, 'utf8'))
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema)
    expect(validate(log), JSON.stringify(validate.errors)).toBe(true)
  })
})

describe('annotations of GitHub', () => {
  test('are one line each, with everything escaped that has a meaning there', () => {
    const lines = renderGithub(red, rules).trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatch(
      /^::error title=a\.fails \(must\)::A reply holds a script\.%0ARule: It holds\.%0Aa <script>/,
    )
    expect(lines[0]).toContain('%0Asecond: line, 100%25')
    expect(lines[1]).toMatch(/^::warning title=a\.should/)
    expect(lines[2]).toBe('::error title=Assay%3A Not conformant%3A something failed::http://gateway/api/v1')
    expect(renderGithub(green, rules)).toBe(
      '::notice title=Assay%3A Conformant (nothing failed)::http://gateway/api/v1\n',
    )
  })
})

describe('the terminal', () => {
  const text = renderTerminal(red, { color: false, quiet: false, verbose: false, contract, rules })

  test('begins with what to mend first, within a screen', () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      result(`a.fails-${index}`, index % 2 === 0 ? 'must' : 'should', failed),
    )
    const [head = ''] = renderTerminal(report(many, 1), {
      color: false,
      quiet: false,
      verbose: false,
      contract,
      rules,
    }).split('\n\n')
    expect(head.split('\n').length).toBeLessThanOrEqual(40)
    expect(head).toContain('What to mend first, of 60 failures')
    expect(text.indexOf('Mend it.')).toBeLessThan(text.indexOf('expected  '))
    expect(text).toContain('a.fails (blocks 1)')
  })

  test('says once where there is more to read about a check, in a command that can be pasted', () => {
    const line = `${commandName('explain')} a.fails`
    expect(text.split('\n').filter((one) => one.includes(commandName('explain')))).toEqual([
      expect.stringContaining(line),
    ])
    expect(text.split('\n').some((one) => one.endsWith(line))).toBe(true)
    const whole = renderTerminal(green, { color: false, quiet: false, verbose: false, contract, rules })
    expect(whole).not.toContain(commandName('explain'))
  })

  test('fits its terminal, and breaks neither a word nor what is there to be copied', () => {
    const options = { color: true, quiet: false, verbose: true, contract, rules }
    const long = report([result('a.fails', 'must', { ...failed, what: 'a status '.repeat(30) }), ...mixed.slice(2)], 1)
    const wide = stripVTControlCharacters(renderTerminal(long, options))
    const lines = stripVTControlCharacters(renderTerminal(long, { ...options, columns: 60 })).split('\n')
    const toBeCopied = /curl| -H | --data|run again:|explain /
    for (const line of lines) expect(line.length < 60 || toBeCopied.test(line), line).toBe(true)
    expect(lines.join(' ').split(/\s+/)).toEqual(wide.split(/\s+/))
    const copied = wide.split('\n').filter((line) => toBeCopied.test(line))
    expect(copied.some((line) => line.length > 60)).toBe(true)
    expect(lines).toEqual(expect.arrayContaining(copied))
  })
})

describe('Markdown', () => {
  test('names the verdict, counts by clause, and folds each failure without letting its text act', () => {
    const text = renderMarkdown(red, rules, contract)
    expect(text).toMatch(/^## ❌ Not conformant: something failed$/m)
    expect(text).toMatch(/^\| 4\.1 .* \| 1 \| 3 \|/m)
    expect(text.match(/<details>/g)).toHaveLength(2)
    expect(text).not.toContain('- a <script>')
    expect(text).toContain('1 known failure does not count.')
    expect(renderMarkdown(green, rules, contract)).not.toContain('Failures')
  })
})

describe('the badge', () => {
  test('says what the gate says', () => {
    expect(JSON.parse(renderBadge(green))).toEqual({
      schemaVersion: 1,
      label: 'inference contract v1',
      message: 'conformant',
      color: 'brightgreen',
    })
    expect(JSON.parse(renderBadge(red))).toMatchObject({ message: '1 failure', color: 'red' })
    expect(JSON.parse(renderBadge(report([], 3)))).toMatchObject({ message: 'not decided' })
  })

  test('is a picture that is well-formed and says it in words', () => {
    const svg = new XMLParser({ ignoreAttributes: false }).parse(renderBadgeSvg(red))
    expect(svg.svg['@_aria-label']).toBe('inference contract v1: 1 failure')
  })
})

describe('JSON', () => {
  test('is read back as the report that it was written from', () => {
    const text = renderJson(red)
    const again = readJson(JSON.parse(text) as JsonReport, {
      folder: red.evidenceFolder,
      exchangesOf: (id) => red.results.find((one) => one.id === id)?.exchanges ?? [],
    })
    expect(renderJson(again)).toBe(text)
  })
})

describe('the passport', () => {
  test('holds what was observed and nothing that was judged', () => {
    const passport = JSON.parse(renderPassport(red, rules))
    expect(passport.failed).toEqual({ format: ['a.fails', 'a.should'], contract: [] })
    expect(passport.observations).toEqual([{ id: 'a.seen', clause: '4.1', statement: 'It holds.', value: { nasty } }])
  })
})

describe('two gateways', () => {
  const there = [
    result('a.passes', 'must', failed),
    result('a.fails', 'must', { kind: 'pass', proofs: 1 }),
    result('a.should', 'should', failed),
    result('a.seen', 'open', { kind: 'observed', value: 'something else' }),
    result('a.undecided', 'must', failed),
  ]

  test('differ where both were decided, and the one that fails is named', () => {
    const differences = differencesOf(mixed, there)
    expect(differences.map(({ id, departs }) => [id, departs])).toEqual([
      ['a.passes', 'there'],
      ['a.fails', 'here'],
      ['a.seen', 'neither'],
    ])
    const compared = { ...red, against: { baseUrl: 'http://other', differences } }
    const terminal = renderTerminal(compared, { color: false, quiet: true, verbose: false, contract, rules })
    expect(terminal).toContain('Compared with http://other: 3 differences')
    expect(terminal).toContain('a.fails (must) this one fails: fail here, pass there')
  })
})

describe('the terminal', () => {
  const options = { color: false, quiet: false, verbose: false, contract, rules }
  const root = { what: 'status for temperature: 0', expected: 'a 2xx', actual: '500' }

  test('names a root that was not selected, what it saw, and what it blocks', () => {
    const blocked = ['a.first', 'a.second'].map((id) => result(id, 'must', { kind: 'blocked', by: 'other.root', root }))
    const text = renderTerminal(report([...mixed, ...blocked], 1), options)
    expect(text).toContain('Blocked by failures that were not selected:')
    expect(text).toContain('✗ other.root status for temperature: 0: expected a 2xx, got 500 (blocks a.first, a.second)')
    expect(renderTerminal(red, options)).not.toContain('not selected')
  })

  test('tells what to know before reading the verdicts', () => {
    const notices = ['The key has 3 characters.']
    expect(renderTerminal({ ...green, notices }, options)).toContain('The key has 3 characters.')
    expect(renderMarkdown({ ...green, notices }, rules, contract)).toContain('The key has 3 characters.')
    expect(JSON.parse(renderJson({ ...green, notices })).notices).toEqual(notices)
    expect(JSON.parse(renderJson(green))).not.toHaveProperty('notices')
  })
})

describe('a failure', () => {
  const bare: Verdict = { kind: 'fail', what: nasty, expected: nasty, actual: '"quotes"' }
  const old = report([result('a.fails', 'must', bare)], 1)
  const options = { color: false, quiet: true, verbose: false, contract, rules }

  test.each([
    ['the terminal', renderTerminal(red, options), '✗ A reply holds a script. a.fails (must, clause 4.1)'],
    ['Markdown', renderMarkdown(red, rules, contract), `<summary><strong>${sentence}`],
    ['annotations', renderGithub(red, rules), `(must)::${sentence}`],
    ['JUnit', renderJunit(red, rules), `<failure message="${sentence}`],
  ])('says what went wrong before the rule, in %s', (_, text, heading) => {
    expect(text).toContain(heading)
    expect(text.slice(text.indexOf(heading))).toContain('It holds.')
  })

  test('says what went wrong first where the rule stands elsewhere, in SARIF and among the roots of JSON', () => {
    const [run] = JSON.parse(renderSarif(red, rules)).runs
    expect(run.results[0].message.text).toMatch(new RegExp(`^${sentence} a <script>`))
    expect(run.tool.driver.rules[1].shortDescription.text).toBe('It holds.')
    expect(JSON.parse(renderJson(red)).roots[0]).toMatchObject({ id: 'a.fails', wrong: sentence })
  })

  test('of a release that did not say what went wrong says what was found', () => {
    expect(renderTerminal(old, options)).toMatch(/^✗ a <script>/)
    expect(renderMarkdown(old, rules, contract)).toContain('<summary><strong>a &lt;script')
    expect(JSON.parse(renderSarif(old, rules)).runs[0].results[0].message.text).toMatch(/^a <script>/)
  })

  test('shows its place in the body', () => {
    expect(renderTerminal(old, { ...options, color: true })).toContain('\u001b[31m"quotes"\u001b[39m')
    expect(renderMarkdown(old, rules, contract)).toContain('& "quotes"\n')
  })
})
