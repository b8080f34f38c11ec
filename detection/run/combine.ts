import { prng } from '../../reference-server/network/prng.ts'
import type { Variant } from '../variants/variant.ts'

const namesMin = 2
const namesMax = 5

interface Draw {
  readonly seed: number
  readonly count: number
  readonly table: Readonly<Record<string, Variant>>
  /** Names that each have to be in one of the combinations. */
  readonly due: readonly string[]
}

/** Combinations of two to five variants, in the order in which they wrap, but for outermost ones. The same seed draws the same. */
export function drawCombinations({ seed, count, table, due }: Draw): readonly (readonly string[])[] {
  const chance = prng(seed)
  const combinations = Array.from({ length: count }, () => ({
    size: namesMin + chance.below(namesMax - namesMin + 1),
    names: [] as string[],
  }))
  // Each goes where the fewest are, so that there is room for many of one group.
  for (const name of shuffle(due, chance)) {
    const open = combinations.filter(({ names }) => canJoin(name, names, table))
    const fewest = Math.min(...open.map(({ names }) => names.length))
    open.find(({ names }) => names.length === fewest)?.names.push(name)
  }
  return combinations.map(({ size, names }) => {
    for (const name of shuffle(Object.keys(table), chance)) {
      if (names.length >= size) break
      if (canJoin(name, names, table)) names.push(name)
    }
    return names
  })
}

function canJoin(name: string, names: readonly string[], table: Draw['table']): boolean {
  const groups = groupsOf(name, table)
  return names.every((other) => other !== name && !groupsOf(other, table).some((group) => groups.includes(group)))
}

function groupsOf(name: string, table: Draw['table']): readonly string[] {
  return [table[name]?.group ?? []].flat()
}

function shuffle(names: readonly string[], chance: ReturnType<typeof prng>): readonly string[] {
  const left = [...names]
  return names.flatMap(() => left.splice(chance.below(left.length), 1))
}
