import type { Wrap } from '../../reference-server/gateway/seams.ts'
import type { Fault } from '../faults/fault.ts'
import { type How, hows } from './hows.ts'
import { cells, nameOf, whats } from './table.ts'
import type { Watch } from './watch.ts'
import type { What } from './what.ts'
import { type When, whens } from './whens.ts'

/** A gateway for each cell of the table that is not empty. */
export const relayFaults: Readonly<Record<string, Fault>> = Object.fromEntries(
  cells.flatMap((cell) => {
    const what: What = whats[cell.what]
    const wrap = what.faults[cell.how]
    return cell.reason !== undefined || wrap === undefined
      ? []
      : [[nameOf(cell), faultOf(what, cell.how, whens[cell.when], wrap)]]
  }),
)

function faultOf(what: What, how: How, when: When, wrap: (watch: Watch) => Wrap): Fault {
  return {
    about: sentence(what, how, when),
    breaks: [...when.noticedBy, ...what.noticedBy],
    enough: 'one',
    wrap: () => wrap(when.watch()),
  }
}

function sentence({ about, says = {} }: What, how: How, when: When): string {
  const text = [about, says[how] ?? hows[how], when.about].filter((part) => part !== '').join(' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
