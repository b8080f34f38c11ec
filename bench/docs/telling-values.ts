import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { wrapsNamed } from '../../detection/catalogue.ts'
import { faults } from '../../detection/faults/index.ts'
import { examine } from '../../detection/run/examine.ts'
import type { Check } from '../../src/check/check.ts'
import { packageFolder } from '../../src/fixtures.ts'
import { checks } from '../../suites/index.ts'

/**
 * `npm run generate:values`: by which values of their lists checks notice the faults that they are there to notice, for quick runs.
 * Takes some minutes: each fault meets its check with every value, and the one that shows it is kept.
 */
type Places = Map<number, Set<number>>

/** By list length, the place of the value that is being tried. */
let current = new Map<number, number>()

const isOfClient = ({ needs = [] }: Check): boolean => needs.length === 0
const clients = new Map<string, Check>(checks.filter(isOfClient).map((check) => [check.id, check]))

/** The same check, which says what value it tries. */
function watched(check: Check): Check['run'] {
  const { run } = check
  return (context) => {
    const few = <T>(values: readonly T[]): readonly T[] => {
      const told = [...values]
      return Object.assign(told, {
        *[Symbol.iterator]() {
          for (const [at, value] of values.entries()) {
            current.set(values.length, at)
            yield value
          }
        },
      })
    }
    return run(new Proxy(context, { get: (own, name) => (name === 'few' ? few : Reflect.get(own, name)) }))
  }
}

const telling = new Map<string, Places>()
for (const [name, { breaks }] of Object.entries(faults)) {
  const check = breaks.map((id) => clients.get(id)).find((one) => one !== undefined)
  if (check === undefined) continue
  current = new Map()
  const original = check.run
  Object.defineProperty(check, 'run', { value: watched(check), configurable: true })
  const results = await examine({ wraps: wrapsNamed([name]), seed: 1, runs: 1, selected: [check.id], load: false })
  Object.defineProperty(check, 'run', { value: original, configurable: true })
  if (results[0]?.verdict.kind !== 'fail' || current.size === 0) continue
  const places = telling.get(check.id) ?? new Map<number, Set<number>>()
  for (const [length, at] of current) places.set(length, (places.get(length) ?? new Set()).add(at))
  telling.set(check.id, places)
}

const table = Object.fromEntries(
  checks.flatMap(({ id }) => {
    const places = telling.get(id)
    return places === undefined
      ? []
      : [[id, Object.fromEntries([...places].map(([length, some]) => [length, [...some].toSorted((a, b) => a - b)]))]]
  }),
)
writeFileSync(join(packageFolder, 'fixtures', 'checks', 'values.json'), `${JSON.stringify(table, null, 2)}\n`)
