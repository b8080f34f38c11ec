import { prng } from '../network/prng.ts'
import type { Variant } from './fault.ts'
import { variants } from './variants.ts'

const namesMin = 2
const namesMax = 5

/** Two to five variants that can be combined, in the order in which they wrap. The same seed draws the same. */
export function combineVariants(seed: number, table: Readonly<Record<string, Variant>> = variants): readonly string[] {
  const chance = prng(seed)
  const count = namesMin + chance.below(namesMax - namesMin + 1)
  const drawn: string[] = []
  const groups = new Set<string>()
  const left = Object.entries(table)
  while (drawn.length < count && left.length > 0) {
    const [entry] = left.splice(chance.below(left.length), 1)
    if (entry === undefined) break
    const [name, { group }] = entry
    const own = group === undefined ? [] : [group].flat()
    if (own.some((one) => groups.has(one))) continue
    for (const one of own) groups.add(one)
    drawn.push(name)
  }
  return drawn
}
