import { setTimeout as sleep } from 'node:timers/promises'
import type { Seams, Wrap } from '../../reference-server/gateway/seams.ts'
import type { Fragments, OperatorNode } from '../../reference-server/network/node.ts'
import { isRelayed } from './relay.ts'

interface Runner {
  readonly words: Fragments
  /** Rejects where the node fails before its first word. */
  readonly first: Promise<Awaited<ReturnType<Fragments['next']>>>
  readonly left: AbortController
}

/** Asks a second node where the first has said nothing for so long; whoever speaks first is heard, and the other is left. */
export function hedging(afterMs: number): Wrap {
  let choose: Seams['chooseNode'] = () => undefined
  return {
    chooseNode: (real) => {
      choose = real
      return real
    },
    generate: (real) =>
      async function* (node, job, signal, call) {
        if (!isRelayed(job) || call.model === undefined) return yield* real(node, job, signal, call)
        const start = (one: OperatorNode): Runner => {
          const left = new AbortController()
          const words = real(one, job, AbortSignal.any([signal, left.signal]), call)
          return { words, first: words.next(), left }
        }
        const runners = [start(node)]
        try {
          const isLate = await Promise.race([isSilent(runners[0]), sleep(afterMs, true, { signal })])
          const other = isLate ? choose(call.model, call) : undefined
          if (other !== undefined) {
            call.tried.add(other.id)
            runners.push(start(other))
          }
          const heard = await fastest(runners)
          for (const runner of runners) if (runner !== heard) leave(runner)
          let step = await heard.first
          for (; !step.done; step = await heard.words.next()) yield step.value
          return step.value
        } finally {
          for (const runner of runners) leave(runner)
        }
      },
  }
}

/** False once the node has spoken or failed. */
async function isSilent(runner: Runner | undefined): Promise<boolean> {
  await runner?.first.catch(() => undefined)
  return false
}

/** Throws the first error where all fail. */
async function fastest(runners: readonly Runner[]): Promise<Runner> {
  try {
    return await Promise.any(runners.map((runner) => runner.first.then(() => runner)))
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error
  }
}

function leave({ words, first, left }: Runner): void {
  left.abort()
  first.catch(() => undefined)
  words.return(undefined as never).catch(() => undefined)
}
