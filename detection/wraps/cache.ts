import type { Call, Wrap } from '../../reference-server/gateway/seams.ts'
import type { FinishReason, Fragment, Job } from '../../reference-server/network/node.ts'
import type { Json } from './json.ts'
import { isStream } from './stream.ts'

/** Serves what nodes generate from a cache whose key is made of some fields only. */
export function cachingReplies(isKept: (job: Job, call: Call) => boolean, keyOf: (body: Json) => string): Wrap {
  const cache = new Map<string, { readonly fragments: readonly Fragment[]; readonly reason: FinishReason }>()
  return {
    generate: (real) =>
      async function* (node, job, signal, call) {
        const key = keyOf({ ...job, stream: isStream(call), key: call.caller?.key.id })
        const hit = cache.get(key)
        if (hit !== undefined) {
          yield* hit.fragments
          return hit.reason
        }
        const fragments: Fragment[] = []
        const source = real(node, job, signal, call)
        for (;;) {
          const step = await source.next()
          if (step.done) {
            if (isKept(job, call)) cache.set(key, { fragments, reason: step.value })
            return step.value
          }
          fragments.push(step.value)
          yield step.value
        }
      },
  }
}
