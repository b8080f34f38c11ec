import type { NodeRecord } from '../../target/nodes.ts'

/**
 * Whether no node but the first was asked before that one had failed, in the order of arrival: then a gateway keeps the others in
 * reserve. One that asked them before, and no longer does, may only be resting them.
 */
export function keepsOthersInReserve(records: readonly Pick<NodeRecord, 'node' | 'status' | 'outcome'>[]): boolean {
  const isFailure = ({ status = 500, outcome }: Pick<NodeRecord, 'status' | 'outcome'>): boolean =>
    status >= 400 || outcome === 'cut-by-node'
  const decisive = records.find((record) => record.node !== 0 || isFailure(record))
  return decisive?.node === 0
}
