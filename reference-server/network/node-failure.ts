/** How a node failed. What the node said about it is for the operator's log, never for a client. */
export type FailureKind = 'unreachable' | 'silent' | 'status' | 'refused' | 'broken'

/**
 * A node did not do its work. `unreachable`: no connection, or a cut one. `silent`: it took longer than its limits.
 * `status`: it answered with an error. `refused`: it did not accept this one request. `broken`: what it sent is not a reply, or not a whole one.
 */
export class NodeFailure extends Error {
  override readonly name = 'NodeFailure'
  readonly kind: FailureKind

  constructor(kind: FailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/**
 * Time limits of a node, in milliseconds. A node that does not answer is given up, with a second try, within the minute
 * that C7 gives a 503.
 */
export interface NodeLimits {
  readonly connectMs: number
  /** From the request to the status line. */
  readonly headMs: number
  /** From the request to the first fragment. */
  readonly firstTokenMs: number
  /** The same for a node that has taken the request: it has sent its head, so it is alive and perhaps busy. */
  readonly lateTokenMs: number
  /** Between two fragments. */
  readonly gapMs: number
}

export const defaultNodeLimits: NodeLimits = {
  connectMs: 3000,
  headMs: 20_000,
  firstTokenMs: 25_000,
  lateTokenMs: 120_000,
  gapMs: 25_000,
}
