import type { Call, Wrap } from '../../reference-server/gateway/seams.ts'
import { bothWraps } from '../wraps/both.ts'
import type { Carrier, Change } from './carriers.ts'
import type { Distortion, Distortions, How } from './hows.ts'
import type { Watch } from './watch.ts'
import type { What } from './what.ts'
import type { WhenKind } from './whens.ts'

interface RelayedValue extends Omit<What, 'faults' | 'times'> {
  readonly carrier: Carrier
  readonly hows: Distortions
  /** What a gateway may send where the client set nothing: a change of it is not the first that shows. */
  readonly unset?: unknown
  /** Whether it is one of a list, so that a gateway may do it at some places of the list. */
  readonly inList?: true
}

/** A value that passes through a carrier, where each of the distortions may happen to it. */
export function relayedValue({ carrier, hows, unset, inList, ...rest }: RelayedValue): What {
  const faults = Object.entries(hows).map(([how, distortion]): [string, (watch: Watch) => Wrap] => [
    how,
    (watch) => distorting(carrier, distortion, watch, unset),
  ])
  const times: readonly WhenKind[] = inList === true ? ['request', 'element'] : ['request']
  return { ...rest, faults: Object.fromEntries(faults) as Partial<Record<How, (watch: Watch) => Wrap>>, times }
}

/** Distorts what passes through a carrier whenever the watch says so. */
export function distorting(carrier: Carrier, distortion: Distortion, watch: Watch, unset?: unknown): Wrap {
  const wrap = carrier(changeOf(distortion, watch, unset))
  return watch.wrap === undefined ? wrap : bothWraps(watch.wrap, wrap)
}

/** Distorts a value when it is time. The value before is that of the same list, or of the request before. */
function changeOf(distortion: Distortion, watch: Watch, unset: unknown): Change {
  let ofThis: Passed | undefined
  let ofOther: Passed | undefined
  return (value, call, position) => {
    if (ofThis !== undefined && ofThis.call !== call) ofOther = ofThis
    const before = position.index > 0 ? ofThis : ofOther
    ofThis = { call, value }
    if (!watch.holds(call, position)) return value
    const distorted = distortion(value, before === undefined ? value : before.value, position)
    if (value !== unset && JSON.stringify(distorted) !== JSON.stringify(value)) watch.changed?.(call)
    return distorted
  }
}

/** A value that passed through. */
interface Passed {
  readonly call: Call
  readonly value: unknown
}
