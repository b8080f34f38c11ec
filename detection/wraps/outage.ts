import type { Seams, Wrap } from '../../reference-server/gateway/seams.ts'

/** Tells of each model that is requested while it has no node. */
export const noticingOutage =
  (notice: (model: string) => void) =>
  (real: Seams['chooseNode']): Seams['chooseNode'] =>
  (model, call) => {
    const node = real(model, call)
    if (node === undefined && call.tried.size === 0) notice(model.id)
    return node
  }

/** Finds no node for any model for a while after `close`, so that requests are answered with 503. */
export function closingForAWhile(): {
  readonly close: (ms: number) => void
  readonly chooseNode: NonNullable<Wrap['chooseNode']>
} {
  let openAtMs = 0
  return {
    close: (ms) => {
      openAtMs = performance.now() + ms
    },
    chooseNode: (real) => (model, call) => (performance.now() < openAtMs ? undefined : real(model, call)),
  }
}
