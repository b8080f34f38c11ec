import { faults } from '../../detection/faults/index.ts'
import { checks } from '../../suites/index.ts'

/** How many faults name each check first of those that must notice, as JSON; checks without any are left out. */
export function faultsByCheck(): string {
  const roots = Object.values(faults).map(({ breaks: [root] }) => root)
  const counts = checks.map(({ id }) => [id, roots.filter((root) => root === id).length] as const)
  return `${JSON.stringify(Object.fromEntries(counts.filter(([, count]) => count > 0)), null, 2)}\n`
}
