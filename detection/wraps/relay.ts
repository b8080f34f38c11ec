import type { Call, Seams, Wrap } from '../../reference-server/gateway/seams.ts'
import type { FinishReason, Fragment, Job, OperatorNode, RawReply } from '../../reference-server/network/node.ts'

/** The model whose nodes are scripted: only checks that see both sides of the gateway notice what these faults do. */
const relayed = 'scripted'

/** A reply of a node: its fragments, and how it finished. */
export type Words = AsyncGenerator<Fragment, FinishReason>

export function isRelayed({ model }: Pick<Job, 'model'>): boolean {
  return model === relayed
}

export function isRelayedCall({ model }: Call): boolean {
  return model?.id === relayed
}

/** Changes the replies of relayed nodes. */
export function changingNodeReplies(change: (words: Words, call: Call, job: Job) => Words): Wrap {
  return {
    generate: (real) => (node, job, signal, call) => {
      const words = real(node, job, signal, call)
      return isRelayed(job) ? change(words, call, job) : words
    },
  }
}

/** Changes each fragment of relayed replies; undefined drops it. */
export function changingFragments(
  change: (text: string, call: Call, state: { previous: string; count: number }) => string | undefined,
): Wrap {
  return changingNodeReplies(async function* (words, call) {
    const state = { previous: '', count: 0 }
    for (;;) {
      const step = await words.next()
      if (step.done) return step.value
      const text = change(step.value.text, call, state)
      state.previous = step.value.text
      state.count += 1
      if (text !== undefined) yield { ...step.value, text }
    }
  })
}

/** Changes all fragments of the relayed replies that `when` names at once, so a stream comes in one piece. */
export function rewritingReplies(
  change: (texts: readonly string[]) => readonly string[],
  when: (call: Call) => boolean = () => true,
): Wrap {
  return changingNodeReplies(async function* (words, call) {
    if (!when(call)) return yield* words
    const texts: string[] = []
    let tokens = 0
    for (;;) {
      const step = await words.next()
      if (step.done) {
        for (const [at, text] of change(texts).entries()) yield { text, tokens: at === 0 ? tokens : 0 }
        return step.value
      }
      texts.push(step.value.text)
      tokens += step.value.tokens
    }
  })
}

/** Asks the relayed nodes for something else. */
export function askingNodes(change: (job: Job, call: Call) => Job): Wrap {
  return {
    job: (real) => (request, model, promptTokens, call) => {
      const job = real(request, model, promptTokens, call)
      return isRelayed(job) ? change(job, call) : job
    },
  }
}

/** Misreads what relayed nodes send. */
export function tapping(tap: (reply: RawReply, call: Call) => RawReply): Wrap {
  return {
    readReply: (real) => (reply, call) => real(isRelayedCall(call) ? tap(reply, call) : reply, call),
  }
}

/** Changes the bytes of a reply, piece by piece. */
export function mangling(mangle: (bytes: Uint8Array) => Uint8Array): Wrap {
  return tapping((reply) => ({ ...reply, body: mapBytes(reply.body, mangle) }))
}

async function* mapBytes(body: AsyncIterable<Uint8Array>, mangle: (bytes: Uint8Array) => Uint8Array) {
  for await (const bytes of body) yield mangle(bytes)
}

/** Chooses relayed nodes differently. */
export function choosingNodes(
  choose: (real: () => OperatorNode | undefined, call: Call) => OperatorNode | undefined,
): Wrap {
  const wrap =
    (real: Seams['chooseNode']): Seams['chooseNode'] =>
    (model, call) =>
      model.id === relayed ? choose(() => real(model, call), call) : real(model, call)
  return { chooseNode: wrap }
}

/** Answers failures of relayed nodes differently. */
export function answeringNodeFailures(
  change: (answer: ReturnType<Seams['errorAnswer']>, call: Call) => ReturnType<Seams['errorAnswer']>,
): Wrap {
  return {
    errorAnswer: (real) => (error, call) => {
      const answer = real(error, call)
      return isRelayedCall(call) && error.status === 503 ? change(answer, call) : answer
    },
  }
}

/** Reads a relayed reply ahead of its client, and waits while so many characters are not passed on. */
export function readingAhead(charsMax: number): Wrap {
  return changingNodeReplies(async function* (words) {
    const read: Awaited<ReturnType<typeof words.next>>[] = []
    let chars = 0
    let wakeReader = (): void => {}
    let wakeWriter = (): void => {}
    let problem: unknown
    const pump = async (): Promise<void> => {
      for (;;) {
        const step = await words.next()
        read.push(step)
        wakeWriter()
        if (step.done) return
        chars += step.value.text.length
        while (chars > charsMax)
          await new Promise<void>((awake) => {
            wakeReader = awake
          })
      }
    }
    pump().catch((error: unknown) => {
      problem = error
      wakeWriter()
    })
    for (;;) {
      const step = read.shift()
      if (step?.done) return step.value
      if (step !== undefined) {
        yield step.value
        chars -= step.value.text.length
        wakeReader()
      } else if (problem !== undefined) throw problem
      else
        await new Promise<void>((awake) => {
          wakeWriter = awake
        })
    }
  })
}

/** Sends headers of the client to the node, as a proxy does that replaces only Authorization. */
export function passingOn(names: readonly string[]): Wrap {
  return {
    writeRequest: (real) => (request, call) => {
      const honest = real(request, call)
      if (!isRelayedCall(call)) return honest
      const passed = names.flatMap((name) => {
        const value = call.request.headers[name]
        return typeof value === 'string' ? [[name, value] as const] : []
      })
      return { ...honest, headers: { ...honest.headers, ...Object.fromEntries(passed) } }
    },
  }
}
