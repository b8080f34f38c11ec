import type { Seams, Wrap } from '../../reference-server/gateway/seams.ts'
import type { Fragment } from '../../reference-server/network/node.ts'

export type Generate = Seams['generate']

/** Takes the node's whole text without any stop, and ends it where `find` says. */
export function cuttingWhere(find: (text: string, stop: readonly string[]) => number | undefined): Wrap {
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

/** The sequences that reach the node. */
export function passing(change: (stop: readonly string[], stream: boolean, model: string) => readonly string[]): Wrap {
  return {
    job: (real) => (request, model, promptTokens, call) => {
      const job = real(request, model, promptTokens, call)
      return { ...job, stop: change(job.stop, request.stream, model.id) }
    },
  }
}
