import { faults } from '../../detection/faults/index.ts'

/** How many faults each set of checks must notice, as JSON: the ids of the set, in the order of the faults, with a space between them. */
export function faultsByChecks(): string {
  const sets = Map.groupBy(Object.values(faults), ({ breaks }) => breaks.join(' '))
  return `${JSON.stringify(Object.fromEntries([...sets].map(([ids, some]) => [ids, some.length])), null, 2)}\n`
}
