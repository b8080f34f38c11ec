import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { phases } from '../../src/check/check.ts'
import { checkIds } from '../../src/check/check-ids.ts'
import { statementIds } from '../../src/contract/statement-ids.ts'
import { packageFolder, readContract } from '../../src/fixtures.ts'
import { checks } from '../index.ts'

const folders = ['src', 'suites', 'detection', 'reference-server', 'bench']
const files = folders.flatMap((folder) =>
  readdirSync(join(packageFolder, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
)
const source = new Map(files.map((file) => [file, readFileSync(join(packageFolder, file), 'utf8')]))

/** Files that a file imports; those that it takes only types from are left out on request. */
function importsOf(file: string, withTypes: boolean): string[] {
  const found = [
    ...(source.get(file) ?? '').matchAll(
      /^(?:import|export) (type )?[^'"]*?from '(\.[^']+)'|(?<!new URL\()import\('(\.[^']+)'\)/gms,
    ),
  ]
  return found
    .filter(([, isType]) => withTypes || isType === undefined)
    .map(([, , first, second]) => relative(packageFolder, resolve(packageFolder, dirname(file), first ?? second ?? '')))
}

/** What each part may take from the others at run time; a part may always take from itself. */
const allowed: readonly { readonly of: RegExp; readonly from: RegExp }[] = [
  { of: /^src\/contract\//, from: /^src\/contract\// },
  { of: /^src\/repeat\//, from: /^src\/repeat\// },
  { of: /^src\/sse\//, from: /^src\/sse\// },
  { of: /^src\/wire\//, from: /^src\/(wire|sse)\// },
  { of: /^src\/target\//, from: /^src\/(target|wire|sse|contract|repeat|harness-error|json|semaphore)/ },
  { of: /^src\/check\//, from: /^src\/(check|target|wire|sse|contract|repeat|harness-error|json|semaphore)/ },
  {
    of: /^src\/asking\//,
    from: /^src\/(asking|check|target|wire|sse|contract|repeat|json|load\/(engine\/(engine|monotonic)|meter))/,
  },
  {
    of: /^src\/report\//,
    from: /^src\/(report|command-name|load\/(compare|bootstrap|figures|schedule)|json|fixtures|wire\/recorded-exchange|check\/verdict|harness-error)/,
  },
  { of: /^src\/load\//, from: /^src\/(load|check|target|wire|sse|contract|harness-error|json|semaphore|fixtures)/ },
  { of: /^src\/options\//, from: /^src\/(options|report|harness-error|json)/ },
  { of: /^src\/run\//, from: /^(src\/(?!cli|index)|suites\/index|reference-server\/)/ },
  { of: /^suites\/\d-(?!self)/, from: /^src\/(asking|check|target|wire|sse|contract|repeat|json)/ },
  { of: /^reference-server\//, from: /^reference-server\// },
]

describe('imports', () => {
  test.each(files.filter((file) => !file.endsWith('.test.ts')))('%s takes only what its part may take', (file) => {
    const rule = allowed.find(({ of }) => of.test(file))
    const strange = rule === undefined ? [] : importsOf(file, false).filter((target) => !rule.from.test(target))
    expect(strange).toEqual([])
  })

  test('go in no circle, not even for types', () => {
    expect(circlesIn(new Map(files.map((file) => [file, importsOf(file, true)])))).toEqual([])
  })

  test('only the run, the command line, the typed API, detection, the self tests and the benchmarks start the reference gateway', () => {
    const starters = files.filter(
      (file) =>
        !file.startsWith('reference-server/') &&
        importsOf(file, false).some((target) => target.startsWith('reference-server/')),
    )
    const may = /^(src\/run\/|src\/cli\/|src\/index\.ts|detection\/|suites\/0-self\/|bench\/)/
    expect(starters.filter((file) => !may.test(file))).toEqual([])
  })

  test('vitest is known only to the binding and to tests', () => {
    const users = files.filter((file) => /from 'vitest/.test(source.get(file) ?? ''))
    const may = /\.(?:test|servers)\.ts$|\/vitest\.config\.ts$|^suites\/bind\.ts$|^suites\/0-self\//
    expect(users.filter((file) => !may.test(file))).toEqual([])
  })
})

/** Groups of files that reach one another. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    else if (!done.has(file)) for (const next of graph.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  return circles
}

/** Functions that are longer than 70 lines, and why they are better whole. */
const longFunctions: Readonly<Record<string, string>> = {
  'src/load/client/response-parser.ts: ResponseParser (167)':
    'one state machine over bytes; taken apart, small reads were 8 to 18 % slower',
}

describe('functions', () => {
  test('have 70 lines at most', () => {
    const long = files.filter((file) => !/\.(test|servers|browser|package)\.ts$/.test(file)).flatMap(longIn)
    expect(long.filter((name) => !(name in longFunctions))).toEqual([])
    expect(Object.keys(longFunctions).filter((name) => !long.includes(name))).toEqual([])
  })
})

/** Functions and classes of a file with more lines than that, as `file: name (lines)`; the formatter's indent shows where each ends. */
function longIn(file: string): readonly string[] {
  const lines = (source.get(file) ?? '').split('\n')
  return lines.flatMap((line, start) => {
    const [, indent = '', name] =
      /^(\s*)(?:export )?(?:async )?(?:function\*?|class) (\w+)/.exec(line) ??
      /^(\s*)(?:export )?const (\w+) = (?:async )?\([^)]*\)[^=]*=> \{$/.exec(line) ??
      []
    if (name === undefined) return []
    const length = lines.slice(start).indexOf(`${indent}}`) + 1
    return length > 70 ? [`${file}: ${name} (${length})`] : []
  })
}

describe('files', () => {
  test('are 25 at most in a folder', () => {
    const perFolder = Map.groupBy(files, (file) => dirname(file))
    expect([...perFolder].filter(([, some]) => some.length > 25).map(([folder]) => folder)).toEqual([])
  })

  test('are 300 lines at most', () => {
    const long = files.filter((file) => (source.get(file) ?? '').split('\n').length > 301)
    // A register: one line for each check there is.
    expect(long).toEqual(['src/check/check-ids.ts'])
  })

  test('hold no left-over marks and no escape from the checker', () => {
    const marks = new RegExp(
      ['TO' + 'DO', 'FIX' + 'ME', '@ts-' + 'ignore', '@ts-' + 'expect-error', 'biome-' + 'ignore'].join('|'),
    )
    expect(files.filter((file) => marks.test(source.get(file) ?? ''))).toEqual([])
  })
})

describe('checks', () => {
  const ids = checks.map(({ id }) => id)
  const statements = readContract().flatMap((clause) => clause.statements)

  test('have permanent ids of the form area.topic, each once', () => {
    expect(ids.filter((id) => !/^[a-z0-9-]+\.[a-z0-9-]+$/.test(id))).toEqual([])
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })

  test('that the register knows are all there', () => {
    expect(checkIds.filter((id) => !ids.includes(id))).toEqual([])
  })

  test('stand in a file whose number is that of their clause', () => {
    const wrong = files
      .filter((file) => /^suites\/\d-(?!self)/.test(file))
      .flatMap((file) => {
        const [, clause] = /^.*\/([\d.]+)-/.exec(file) ?? []
        const said = [...(source.get(file) ?? '').matchAll(/\bclause\('([\d.]+)'/g)].map(([, number]) => number)
        return said.every((number) => number === clause) && said.length > 0 ? [] : [`${file}: ${said.join(', ')}`]
      })
    expect(wrong).toEqual([])
  })

  test('are all held by the index', () => {
    const suites = files.filter((file) => /^suites\/\d-(?!self)/.test(file))
    expect(
      importsOf('suites/index.ts', false)
        .filter((file) => file.startsWith('suites/'))
        .sort(),
    ).toEqual(suites.sort())
  })

  test('ask again only by a rule, and wait only by the one polling loop', () => {
    const own = files.filter((file) => /^suites\/\d-(?!self)/.test(file))
    const loops = /\bwhile \(|for \(;;\)|for \(let [^)]*&&/
    expect(own.filter((file) => loops.test(source.get(file) ?? ''))).toEqual([])
  })

  test('have the statements of the contract as the type knows them', () => {
    expect(statementIds).toEqual(statements.map(({ id }) => id))
  })

  test('name statements that exist', () => {
    const known = new Set(statements.map(({ id }) => id))
    expect(
      checks.flatMap(({ id, states }) => states.filter((state) => !known.has(state)).map((state) => `${id}: ${state}`)),
    ).toEqual([])
  })

  test('cover every statement that has no excuse, and none that has one', () => {
    const covered = new Set(checks.flatMap(({ states }) => states))
    expect(
      statements.filter(({ id, notProvable }) => !covered.has(id) && notProvable === undefined).map(({ id }) => id),
    ).toEqual([])
    expect(
      statements.filter(({ id, notProvable }) => covered.has(id) && notProvable !== undefined).map(({ id }) => id),
    ).toEqual([])
  })

  test('judge no statement that is open', () => {
    const open = new Set(statements.filter(({ level }) => level === 'open').map(({ id }) => id))
    const judging = checks.filter(
      ({ level, states }) => level !== 'open' && states[0] !== undefined && open.has(states[0]),
    )
    expect(judging.map(({ id }) => id)).toEqual([])
  })

  test('wait for no later phase', () => {
    const phase = new Map(checks.map(({ id, phase: own = 'main' }) => [id, phases.indexOf(own)]))
    const waiting = checks.filter(({ id, dependsOn = [] }) =>
      dependsOn.some((other) => (phase.get(other) ?? 9) > (phase.get(id) ?? 0)),
    )
    expect(waiting.map(({ id }) => id)).toEqual([])
  })

  test('say why they matter and what to do, in whole sentences', () => {
    expect(
      checks.filter(({ why, fix }) => !/^[A-Z`].*[.`]$/.test(why) || !/^[A-Z`].*[.`]$/.test(fix)).map(({ id }) => id),
    ).toEqual([])
  })
})
