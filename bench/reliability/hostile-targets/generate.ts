import { type Draw, drawFrom } from '../draw.ts'
import type { Behaviour, Kind } from './behaviour.ts'
import { brokenKinds } from './broken.ts'
import { endlessKinds } from './endless.ts'
import { everywhere } from './honest-answer.ts'
import { largeKinds } from './large.ts'
import { textKinds } from './texts.ts'
import { wrongKinds } from './wrong.ts'

/** From which request on: some make contact impossible, others come in the middle of a run. */
const beginnings = [0, 0, 3, 8, 30] as const

const families: Readonly<Record<string, readonly Kind[]>> = {
  'without end': endlessKinds,
  'far too large': largeKinds,
  'cut, stalled, slow or gone': brokenKinds,
  'not HTTP as it should be': wrongKinds,
  'in good order, with odd contents': textKinds,
}

const kinds = Object.entries(families).flatMap(([family, own]) => own.map((kind) => ({ family, kind })))

export const kindCount = kinds.length

/** So many behaviours of a seed: every kind in turn, each time with other choices. */
export function generateBehaviours(seed: number, count: number): readonly Behaviour[] {
  const draw = drawFrom(seed)
  return Array.from({ length: Math.ceil(count / kindCount) }, () => kinds)
    .flat()
    .slice(0, count)
    .map(({ family, kind }) => behaviourOf(family, kind, draw))
}

function behaviourOf(family: string, kind: Kind, draw: Draw): Behaviour {
  const { about, isTls = false, clockJumps = false } = kind
  const { how, spoil } = kind.make(draw)
  const possible = kind.surfaces ?? everywhere
  const surfaces = draw.pick([true, false]) ? [draw.pick(possible)] : possible
  const from = draw.pick(beginnings)
  const name = `${about}${how === undefined ? '' : `, ${how}`} (${surfaces.join(', ')}; from request ${from})`
  return { about, family, name, surfaces, from, isTls, clockJumps, spoil }
}
