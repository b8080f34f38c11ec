import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkIds } from '../../src/check/check-ids.ts'
import { phases } from '../../src/check/phases.ts'
import { statementMarks } from '../../src/contract/statement-ids.ts'
import { packageFolder, readContract } from '../../src/fixtures.ts'
import { checks } from '../index.ts'

const folders = ['src', 'suites', 'detection', 'reference-server', 'bench']
const files = folders.flatMap((folder) =>
  readdirSync(join(packageFolder, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
)
const source = new Map(files.map((file) => [file, readFileSync(join(packageFolder, file), 'utf8')]))

/** The files that a file imports; on request without those that it takes only types from. */
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

/** What each part may import at run time. */
const allowed: readonly { readonly of: RegExp; readonly from: RegExp }[] = [
  { of: /^src\/contract\//, from: /^src\/contract\// },
  { of: /^src\/markup\//, from: /^src\/markup\// },
  { of: /^src\/repeat\//, from: /^src\/repeat\// },
  { of: /^src\/sse\//, from: /^src\/sse\// },
  { of: /^src\/wire\//, from: /^src\/(wire|sse)\// },
  {
    of: /^src\/target\//,
    from: /^src\/(target|wire|sse|contract|repeat|did-you-mean|harness-error|json|semaphore|shorten)/,
  },
  {
    of: /^src\/check\//,
    from: /^src\/(check|target|wire|sse|contract|repeat|did-you-mean|fixtures|harness-error|json|semaphore)/,
  },
  {
    of: /^src\/asking\//,
    from: /^src\/(asking|check|target|wire|sse|contract|repeat|json|load\/(engine\/(engine|monotonic)|meter))/,
  },
  {
    of: /^src\/report\//,
    from: /^src\/(report|markup|command-name|count|make-folder|shorten|load\/(compare|bootstrap|figures|schedule)|json|fixtures|wire\/recorded-exchange|contract\/(clauses|marks)|check\/verdict|harness-error)/,
  },
  {
    of: /^src\/load\//,
    from: /^src\/(load|command-name|count|check|target|wire|sse|contract|repeat|harness-error|json|semaphore|fixtures)/,
  },
  { of: /^src\/options\//, from: /^src\/(options|report|did-you-mean|harness-error|json)/ },
  { of: /^src\/run\//, from: /^(src\/(?!cli|index)|suites\/index|reference-server\/)/ },
  { of: /^suites\/\d-(?!self)/, from: /^src\/(asking|check|target|wire|sse|contract|repeat|json)/ },
  { of: /^reference-server\//, from: /^((reference-server|src\/markup)\/|src\/make-folder)/ },
]

describe('imports', () => {
  test.each(files.filter((file) => !file.endsWith('.test.ts')))(
    'of %s are only those that its part may have',
    (file) => {
      const rule = allowed.find(({ of }) => of.test(file))
      const strange = rule === undefined ? [] : importsOf(file, false).filter((target) => !rule.from.test(target))
      expect(strange).toEqual([])
    },
  )

  test('form no circle, not even for types', () => {
    expect(circlesIn(new Map(files.map((file) => [file, importsOf(file, true)])))).toEqual([])
  })

  test('reach the reference gateway only from the run, the command line, the typed API, detection, self tests and benchmarks', () => {
    const starters = files.filter(
      (file) =>
        !file.startsWith('reference-server/') &&
        importsOf(file, false).some((target) => target.startsWith('reference-server/')),
    )
    const may = /^(src\/run\/|src\/cli\/|src\/index\.ts|detection\/|suites\/0-self\/|bench\/)/
    expect(starters.filter((file) => !may.test(file))).toEqual([])
  })

  test('reach vitest only from the binding and from tests', () => {
    const users = files.filter((file) => /from 'vitest/.test(source.get(file) ?? ''))
    const may =
      /\.(?:test|servers)\.ts$|\/vitest\.config\.ts$|^suites\/bind\.ts$|^suites\/0-self\/|^reference-server\/integration\/trouble\.ts$/
    expect(users.filter((file) => !may.test(file))).toEqual([])
  })
})

/** Files that import one another in a circle. */
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

/** Functions over 70 lines, and why they are better whole. */
const longFunctions: Readonly<Record<string, string>> = {
  'src/load/client/response-parser.ts: ResponseParser (167)':
    'one state machine over bytes; taken apart, small reads were 8 to 18 % slower',
}

describe('functions', () => {
  test('have at most 70 lines', () => {
    const long = files.filter((file) => !/\.(test|servers|browser|package)\.ts$/.test(file)).flatMap(longIn)
    expect(long.filter((name) => !(name in longFunctions))).toEqual([])
    expect(Object.keys(longFunctions).filter((name) => !long.includes(name))).toEqual([])
  })
})

/** Functions and classes of a file over 70 lines, as `file: name (lines)`; the indent shows where each ends. */
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
  test('are at most 25 in a folder', () => {
    const perFolder = Map.groupBy(files, (file) => dirname(file))
    expect([...perFolder].filter(([, some]) => some.length > 25).map(([folder]) => folder)).toEqual([])
  })

  test('have at most 300 lines', () => {
    const long = files.filter((file) => (source.get(file) ?? '').split('\n').length > 301)
    // A register: one line for each check.
    expect(long).toEqual(['src/check/check-ids.ts'])
  })

  test('contain no left-over marks and no escapes from the checkers', () => {
    const marks = new RegExp(
      ['TO' + 'DO', 'FIX' + 'ME', '@ts-' + 'ignore', '@ts-' + 'expect-error', 'biome-' + 'ignore'].join('|'),
    )
    expect(files.filter((file) => marks.test(source.get(file) ?? ''))).toEqual([])
  })
})

describe('checks', () => {
  const ids = checks.map(({ id }) => id)
  const statements = readContract().flatMap((clause) => clause.statements)

  test('have unique ids of the form area.topic', () => {
    expect(ids.filter((id) => !/^[a-z0-9-]+\.[a-z0-9-]+$/.test(id))).toEqual([])
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })

  test('exist for every id of the register', () => {
    expect(checkIds.filter((id) => !ids.includes(id))).toEqual([])
  })

  test('stand in a file with the number of their clause', () => {
    const wrong = files
      .filter((file) => /^suites\/\d-(?!self)/.test(file))
      .flatMap((file) => {
        const [, clause] = /^.*\/([\d.]+)-/.exec(file) ?? []
        const said = [...(source.get(file) ?? '').matchAll(/\bclause\('([\d.]+)'/g)].map(([, number]) => number)
        return said.every((number) => number === clause) && said.length > 0 ? [] : [`${file}: ${said.join(', ')}`]
      })
    expect(wrong).toEqual([])
  })

  test('are all in the index', () => {
    const suites = files.filter((file) => /^suites\/\d-(?!self)/.test(file))
    expect(
      importsOf('suites/index.ts', false)
        .filter((file) => file.startsWith('suites/'))
        .sort(),
    ).toEqual(suites.sort())
  })

  test('ask again only by a rule, and wait only with the one polling loop', () => {
    const own = files.filter((file) => /^suites\/\d-(?!self)/.test(file))
    const loops = /\bwhile \(|for \(;;\)|for \(let [^)]*&&/
    expect(own.filter((file) => loops.test(source.get(file) ?? ''))).toEqual([])
  })

  test('know exactly the statements of the contract, and their marks', () => {
    expect(Object.keys(statementMarks)).toEqual(statements.map(({ id }) => id))
    expect(Object.values(statementMarks)).toEqual(
      statements.map(({ basis, gravity }) => (basis === undefined ? undefined : { basis, gravity })),
    )
  })

  test('name only statements that exist', () => {
    const known = new Set(statements.map(({ id }) => id))
    expect(
      checks.flatMap(({ id, states }) => states.filter((state) => !known.has(state)).map((state) => `${id}: ${state}`)),
    ).toEqual([])
  })

  test('cover every provable statement, and no other', () => {
    const covered = new Set(checks.flatMap(({ states }) => states))
    expect(
      statements.filter(({ id, notProvable }) => !covered.has(id) && notProvable === undefined).map(({ id }) => id),
    ).toEqual([])
    expect(
      statements.filter(({ id, notProvable }) => covered.has(id) && notProvable !== undefined).map(({ id }) => id),
    ).toEqual([])
  })

  test('judge no open statement', () => {
    const open = new Set(statements.filter(({ level }) => level === 'open').map(({ id }) => id))
    const judging = checks.filter(
      ({ level, states }) => level !== 'open' && states[0] !== undefined && open.has(states[0]),
    )
    expect(judging.map(({ id }) => id)).toEqual([])
  })

  test('stand behind no check that stands behind them', () => {
    const behind = new Map<string, readonly string[]>(checks.map(({ id, sameCauseAs: ahead = [] }) => [id, ahead]))
    const isAheadOf = (id: string, other: string): boolean =>
      (behind.get(other) ?? []).some((ahead) => ahead === id || isAheadOf(id, ahead))
    expect(checks.filter(({ id }) => isAheadOf(id, id)).map(({ id }) => id)).toEqual([])
  })

  test('depend on no check of a later phase', () => {
    const phase = new Map(checks.map(({ id, phase: own = 'main' }) => [id, phases.indexOf(own)]))
    const waiting = checks.filter(({ id, dependsOn = [] }) =>
      dependsOn.some((other) => (phase.get(other) ?? 9) > (phase.get(id) ?? 0)),
    )
    expect(waiting.map(({ id }) => id)).toEqual([])
  })

  test('say what their failure means, each that judges in a sentence of its own that is no rule', () => {
    const judging = checks.filter(({ level }) => level !== 'open')
    const rulesInWords = new Set(statements.map(({ text }) => text))
    const sentences = judging.map(({ wrong = '' }) => wrong)
    expect(sentences.filter((one) => !/^[A-Z].{8,98}\.$/.test(one) || rulesInWords.has(one))).toEqual([])
    expect(sentences.filter((one, index) => sentences.indexOf(one) !== index)).toEqual([])
    expect(checks.filter(({ level, wrong }) => level === 'open' && wrong !== undefined)).toEqual([])
  })

  test('say why they matter and what to do, in whole sentences', () => {
    expect(
      checks.filter(({ why, fix }) => !/^[A-Z`].*[.`]$/.test(why) || !/^[A-Z`].*[.`]$/.test(fix)).map(({ id }) => id),
    ).toEqual([])
  })
})
