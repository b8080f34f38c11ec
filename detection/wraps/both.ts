import type { Seams, Wrap } from '../../reference-server/gateway/seams.ts'

/** Two wraps as one, the first one outside. */
export function bothWraps(outer: Wrap, inner: Wrap): Wrap {
  const both: { [K in keyof Seams]?: (real: Seams[K]) => Seams[K] } = { ...inner }
  for (const name of Object.keys(outer) as (keyof Seams)[]) joinOne(both, outer, name)
  return both
}

function joinOne<K extends keyof Seams>(both: { [N in K]?: (real: Seams[N]) => Seams[N] }, outer: Wrap, name: K): void {
  const around = outer[name] as ((real: Seams[K]) => Seams[K]) | undefined
  const inside = both[name]
  if (around !== undefined) both[name] = inside === undefined ? around : (real) => around(inside(real))
}
