import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageFolder, readContract } from '../../src/fixtures.ts'
import { checks } from '../index.ts'

const folders = ['src', 'suites', 'reference-server', 'bench']
const files = folders.flatMap((folder) =>
  readdirSync(join(packageFolder, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
)
const source = new Map(files.map((file) => [file, readFileSync(join(packageFolder, file), 'utf8')]))

/** Files that a file imports for more than their types. */
function runtimeImports(file: string): string[] {
  const found = [
    ...(source.get(file) ?? '').matchAll(
      /^(?:import|export) (?!type\b)[^'"]*?from '(\.[^']+)'|import\('(\.[^']+)'\)/gms,
    ),
  ]
  return found.map(([, first, second]) =>
    relative(packageFolder, resolve(packageFolder, dirname(file), first ?? second ?? '')),
  )
}

/** What each part may take from the others at run time; a part may always take from itself. */
const allowed: readonly { readonly of: RegExp; readonly from: RegExp }[] = [
  { of: /^src\/contract\//, from: /^src\/contract\// },
  { of: /^src\/sse\//, from: /^src\/sse\// },
  { of: /^src\/wire\//, from: /^src\/(wire|sse)\// },
  { of: /^src\/target\//, from: /^src\/(target|wire|sse|contract|harness-error|semaphore)/ },
  {
    of: /^src\/check\//,
    from: /^src\/(check|target|wire|sse|contract|harness-error|semaphore|load\/(engine|flight|monotonic|stream-meter))/,
  },
  {
    of: /^src\/report\//,
    from: /^src\/(report|load\/(bootstrap|histogram|metrics|objective|outcome)|target\/json|wire\/recorded-exchange|check\/verdict|harness-error)/,
  },
  { of: /^suites\/\d-(?!self)/, from: /^src\/(check|target|wire|sse|contract)\// },
  { of: /^reference-server\//, from: /^reference-server\// },
]

describe('imports', () => {
  test.each(files.filter((file) => !file.endsWith('.test.ts')))('%s takes only what its part may take', (file) => {
    const rule = allowed.find(({ of }) => of.test(file))
    const strange = rule === undefined ? [] : runtimeImports(file).filter((target) => !rule.from.test(target))
    expect(strange).toEqual([])
  })

  test('only the command line, the typed API, the self tests and the benchmarks start the reference gateway', () => {
    const starters = files.filter(
      (file) =>
        !file.startsWith('reference-server/') &&
        runtimeImports(file).some((target) => target.startsWith('reference-server/')),
    )
    expect(starters.filter((file) => !/^(src\/cli\/|src\/index\.ts|suites\/0-self\/|bench\/)/.test(file))).toEqual([])
  })

  test('vitest is known to the binding, the runner and tests alone', () => {
    const users = files.filter((file) => /from 'vitest/.test(source.get(file) ?? ''))
    expect(
      users.filter(
        (file) =>
          !/\.(?:test|servers)\.ts$|\/vitest\.config\.ts$|^suites\/bind\.ts$|^suites\/0-self\/|^src\/cli\/vitest-runner\.ts$/.test(
            file,
          ),
      ),
    ).toEqual([])
  })
})

describe('files', () => {
  test('are 300 lines at most', () => {
    const long = files.filter((file) => (source.get(file) ?? '').split('\n').length > 301)
    expect(long).toEqual([])
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

  test('that a release has published are still there', () => {
    const published = readFileSync(join(packageFolder, 'fixtures', 'contract', 'check-ids.txt'), 'utf8')
      .trim()
      .split('\n')
    expect(published.filter((id) => !ids.includes(id))).toEqual([])
    expect(ids.filter((id) => !published.includes(id))).toEqual([])
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
    const order = { main: 0, random: 1, audit: 2, last: 3, alone: 4 }
    const phase = new Map(checks.map(({ id, phase: own = 'main' }) => [id, order[own]]))
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
