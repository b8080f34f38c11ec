import type { Seams, Wrap } from '../../reference-server/gateway/seams.ts'
import type { Fragment } from '../../reference-server/network/node.ts'

export type Generate = Seams['generate']

/** Asks the node for its whole text, without stop sequences, and ends it where `find` says. */
export function endingTextWhere(find: (text: string, stop: readonly string[]) => number | undefined): Wrap {
  return {
    generate: (real) =>
      async function* (node, job, signal, call) {
        if (job.stop.length === 0) return yield* real(node, job, signal, call)
        const fragments: Fragment[] = []
        const reply = real(node, { ...job, stop: [] }, signal, call)
        let step = await reply.next()
        for (; !step.done; step = await reply.next()) fragments.push(step.value)
        const end = find(fragments.map(({ text }) => text).join(''), job.stop)
        let at = 0
        for (const fragment of fragments) {
          if (end !== undefined && at >= end) break
          yield { ...fragment, text: fragment.text.slice(0, end === undefined ? undefined : end - at) }
          at += fragment.text.length
        }
        return end === undefined ? step.value : 'stop'
      },
  }
}

/** Passes other stop sequences on to the node. */
export function passingStops(
  change: (stop: readonly string[], stream: boolean, model: string) => readonly string[],
): Wrap {
  return {
    job: (real) => (request, model, promptTokens, call) => {
      const job = real(request, model, promptTokens, call)
      return { ...job, stop: change(job.stop, request.stream, model.id) }
    },
  }
}
