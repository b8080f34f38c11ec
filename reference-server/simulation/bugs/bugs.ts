import type { Bug } from '../bug.ts'
import { diskBugs } from './disk.ts'
import { limitBugs } from './limits.ts'
import { nodeBugs } from './nodes.ts'
import { replicaBugs } from './replicas.ts'
import { requestBugs } from './requests.ts'

/** Planted bugs, by their names: what the simulation must find. */
export const bugs: Readonly<Record<string, Bug>> = {
  ...requestBugs,
  ...diskBugs,
  ...limitBugs,
  ...nodeBugs,
  ...replicaBugs,
}
