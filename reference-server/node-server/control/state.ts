import { InputError } from '../script/input-error.ts'

/** Serving; refusing connections; answering 503; neither taking nor refusing connections. */
const nodeStates = ['up', 'refuse', '503', 'blackhole'] as const

export type NodeState = (typeof nodeStates)[number]

/** Throws `InputError`. */
export function readState(value: unknown): NodeState {
  const state = nodeStates.find((one) => one === value)
  if (state === undefined)
    throw new InputError('state', { where: 'state', problem: `must be one of: ${nodeStates.join(', ')}` })
  return state
}
