import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, Seams, Wrap } from '../../reference-server/gateway/seams.ts'
import type { Fragment, Job } from '../../reference-server/network/node.ts'
import { stopMatcher } from '../../reference-server/network/stop.ts'
import { tokenize } from '../../reference-server/network/tokens.ts'
import { words } from '../../reference-server/network/words.ts'
import { isRelayedCall, type Words } from './relay.ts'

type Seam = (...args: readonly unknown[]) => unknown

/** Applies a wrap to all models but the one of our nodes, whose replies are scripted and known. */
export function forOtherModels(wrap: Wrap): Wrap {
  const apart = Object.entries(wrap).map(([seam, change]) => [
    seam,
    (real: Seam) => {
      const changed = (change as unknown as (real: Seam) => Seam)(real)
      return (...args: readonly unknown[]) => (isRelayedCall(args.at(-1) as Call) ? real : changed)(...args)
    },
  ])
  return Object.fromEntries(apart) as Wrap
}

/** So many words of chance, each time others. */
export function randomWords(min: number, max = min): string {
  return anyOf(words, min + Math.floor(Math.random() * (max - min + 1)))
}

/** So many of these texts, in an order of chance. */
export function anyOf(texts: readonly string[], count: number): string {
  return Array.from({ length: count }, () => texts[Math.floor(Math.random() * texts.length)] ?? 'word').join(' ')
}

/** Says another text, which keeps to `tokensMax` and `stop` and is cut into tokens by `cut`. */
export function saying(textOf: (job: Job, call: Call) => string, cut = tokenize): Seams['generate'] {
  return async function* (_, job, signal, call) {
    const tokens = cut(textOf(job, call))
    const matcher = stopMatcher(job.stop)
    let owed = 0
    for (const token of tokens.slice(0, job.tokensMax)) {
      if (signal.aborted) return 'stop'
      owed += 1
      const { text, stopped } = matcher.push(token)
      if (text !== '' || stopped) yield { text, tokens: owed }
      if (text !== '' || stopped) owed = 0
      if (stopped) return 'stop'
    }
    const { text, stopped } = matcher.end()
    if (owed > 0 || text !== '') yield { text, tokens: owed }
    return tokens.length > job.tokensMax && !stopped ? 'length' : 'stop'
  }
}

/** Lets the models say another text. */
export function speaking(textOf: (job: Job, call: Call) => string, cut = tokenize): Wrap {
  return forOtherModels({ generate: () => saying(textOf, cut) })
}

/** The same wrap on an engine that says words of chance, each time others. */
export function onRandomEngine(wrap: Wrap, textOf: (job: Job, call: Call) => string = () => randomWords(20, 80)): Wrap {
  const engine = speaking(textOf)
  return {
    ...wrap,
    generate: (real) => {
      const random = engine.generate?.(real) ?? real
      return wrap.generate?.(random) ?? random
    },
  }
}

/** Sends the same reply in other fragments. */
export function refragmenting(regroup: (fragments: readonly Fragment[]) => readonly Fragment[]): Wrap {
  return forOtherModels({
    generate: (real) =>
      async function* (node, job, signal, call) {
        const fragments: Fragment[] = []
        const reply = real(node, job, signal, call)
        let step = await reply.next()
        for (; !step.done; step = await reply.next()) fragments.push(step.value)
        yield* regroup(fragments)
        return step.value
      },
  })
}

/**
 * The fragments of a reply, each as others. Who leaves them leaves the reply as well: an engine that serves one request at a time would
 * wait for ever otherwise.
 */
export async function* eachFragment(
  reply: Words,
  change: (fragment: Fragment, index: number) => readonly Fragment[] | Promise<readonly Fragment[]>,
): Words {
  let isOver = false
  try {
    for (let index = 0; ; index += 1) {
      const step = await reply.next()
      isOver = step.done === true
      if (step.done) return step.value
      yield* await change(step.value, index)
    }
  } finally {
    if (!isOver) await reply.return('stop')
  }
}

/** Waits before each fragment of a reply; `index` counts them from 0. */
export function pacing(waitMs: (index: number) => number): Wrap {
  return forOtherModels({
    generate: (real) => (node, job, signal, call) =>
      eachFragment(real(node, job, signal, call), async (fragment, index) => {
        const delayMs = waitMs(index)
        if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => undefined)
        return [fragment]
      }),
  })
}
