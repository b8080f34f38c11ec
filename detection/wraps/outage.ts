import type { Seams, Wrap } from '../../reference-server/gateway/seams.ts'

/** A model that somebody asked for when it had no node. */
export const noticingOutage =
  (notice: (model: string) => void) =>
  (real: Seams['chooseNode']): Seams['chooseNode'] =>
  (model, call) => {
    const node = real(model, call)
    if (node === undefined && call.tried.size === 0) notice(model.id)
    return node
  }

/** Answers 503 for a while. */
export function closing(): {
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
