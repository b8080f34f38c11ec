import type { Wrap } from '../../reference-server/gateway/seams.ts'
import type { FinishReason, Fragment, Job } from '../../reference-server/network/node.ts'
import type { Json } from './json.ts'
import { isStream } from './stream.ts'

export const limitIn = (body: Json): number =>
  typeof body['max_tokens'] === 'number' ? body['max_tokens'] : Number.NaN

/** Serves from a cache whose key is made of some fields only. */
export function cached(isKept: (job: Job) => boolean, keyOf: (body: Json) => string): Wrap {
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
            if (isKept(job)) cache.set(key, { fragments, reason: step.value })
            return step.value
          }
          fragments.push(step.value)
          yield step.value
        }
      },
  }
}
