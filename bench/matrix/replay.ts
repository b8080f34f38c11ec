import { createChance } from '../../src/load/schedule/chance.ts'
import { checks } from '../../suites/index.ts'
import type { Column } from '../results.ts'
import { judge } from './judge.ts'
import { servers } from './servers/index.ts'

interface RedCell {
  readonly column: Column
  readonly id: string
}

/** So many failing cells, chosen by a seed, each asked again of its server; returns those that do not fail again. */
export async function replay(columns: readonly Column[], count: number, seed: number): Promise<readonly string[]> {
  const red = columns.flatMap((column) =>
    column.results.filter(({ verdict }) => verdict === 'fail').map(({ id }): RedCell => ({ column, id })),
  )
  const chosen = Map.groupBy(some(red, count, seed), ({ column }) => column)
  const changed: string[] = []
  for (const [{ server: name, version }, cells] of chosen) {
    const server = servers.find((one) => one.name === name)
    if (server === undefined) throw new Error(`results/${name} has no server in bench/matrix/servers`)
    const ids = cells.map(({ id }) => id)
    // An audit looks at what the other checks received: it needs them all.
    const { report } = await judge(server, version, ids.some(isAudit) ? [] : ids)
    for (const { id, verdict } of report.results.filter((one) => ids.includes(one.id)))
      if (verdict !== 'fail') changed.push(`${name}@${version} ${id}: ${verdict}`)
    process.stdout.write(`${name}@${version}: ${ids.length} asked again, ${changed.length} changed so far\n`)
  }
  return changed
}

function isAudit(id: string): boolean {
  return checks.find((check) => check.id === id)?.phase === 'audit'
}

function some<T>(all: readonly T[], count: number, seed: number): readonly T[] {
  const chance = createChance(seed)
  return all
    .map((one) => ({ one, place: chance.unit() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ one }) => one)
}
