import { createChance } from '../../src/load/schedule/chance.ts'
import { checks } from '../../suites/index.ts'
import type { Column } from '../results.ts'
import { judge } from './judge.ts'
import { servers } from './servers/index.ts'

interface RedCell {
  readonly column: Column
  readonly id: string
}

export interface Replayed {
  readonly asked: number
  /** What does not fail again. */
  readonly changed: readonly string[]
}

/** So many failing cells, chosen by a seed, each asked again of its server; one that cannot be had or started is told and left out. */
export async function replay(columns: readonly Column[], count: number, seed: number): Promise<Replayed> {
  const red = columns.flatMap((column) =>
    column.results.filter(({ verdict }) => verdict === 'fail').map(({ id }): RedCell => ({ column, id })),
  )
  const chosen = Map.groupBy(some(red, count, seed), ({ column }) => column)
  const changed: string[] = []
  let asked = 0
  for (const [{ server: name, version }, cells] of chosen) {
    const server = servers.find((one) => one.name === name)
    if (server === undefined) throw new Error(`results/${name} has no server in bench/matrix/servers`)
    const ids = cells.map(({ id }) => id)
    try {
      const { report } = await judge(server, version, ids.some(needsTheOthers) ? [] : ids)
      const again = report.results.filter(({ id }) => ids.includes(id))
      for (const { id, verdict } of again) if (verdict !== 'fail') changed.push(`${name}@${version} ${id}: ${verdict}`)
      asked += again.length
      process.stdout.write(`${name}@${version}: ${again.length} asked again, ${changed.length} changed so far\n`)
    } catch (error) {
      process.stderr.write(`${name}@${version}: not asked again: ${error instanceof Error ? error.message : error}\n`)
    }
  }
  return { asked, changed }
}

/** An audit looks at what the other checks received, and a check at the end at what they left behind. */
function needsTheOthers(id: string): boolean {
  const phase = checks.find((check) => check.id === id)?.phase
  return phase === 'audit' || phase === 'end'
}

function some<T>(all: readonly T[], count: number, seed: number): readonly T[] {
  const chance = createChance(seed)
  return all
    .map((one) => ({ one, place: chance.unit() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ one }) => one)
}
