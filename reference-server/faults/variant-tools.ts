import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewayError } from '../gateway/gateway-error.ts'
import type { Call, Head, Seams, StreamSink, Wrap } from '../gateway/seams.ts'
import type { Fragment, Job } from '../network/node.ts'
import { stopMatcher } from '../network/stop.ts'
import { tokenize } from '../network/tokens.ts'
import { isRelayedCall } from './relay-tools.ts'
import { asJson } from './tools.ts'

type Headers = Head['headers']

type Seam = (...args: readonly unknown[]) => unknown

/** What stands for another model leaves alone what our own nodes say: there the reply is scripted, and known. */
export function ofOtherModels(wrap: Wrap): Wrap {
  const apart = Object.entries(wrap).map(([seam, change]) => [
    seam,
    (real: Seam) => {
      const changed = (change as unknown as (real: Seam) => Seam)(real)
      return (...args: readonly unknown[]) => (isRelayedCall(args.at(-1) as Call) ? real : changed)(...args)
    },
  ])
  return Object.fromEntries(apart) as Wrap
}

/** A node that says what it is told to, keeps `tokensMax` and `stop`, and cuts its text where it likes. */
export function speaking(textOf: (job: Job, call: Call) => string, cut = tokenize): Wrap {
  return ofOtherModels({
    generate: () =>
      async function* (_, job, signal, call) {
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
      },
  })
}

/** The same reply in other fragments. */
export function refragmenting(regroup: (fragments: readonly Fragment[]) => readonly Fragment[]): Wrap {
  return ofOtherModels({
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

/** Waits before each fragment of a reply; `index` counts them from 0. */
export function pacing(waitMs: (index: number) => number): Wrap {
  return ofOtherModels({
    generate: (real) =>
      async function* (node, job, signal, call) {
        const reply = real(node, job, signal, call)
        for (let index = 0; ; index += 1) {
          const delayMs = waitMs(index)
          if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => undefined)
          const step = await reply.next()
          if (step.done) return step.value
          yield step.value
        }
      },
  })
}

/** Changes each data event of a stream, the last one too. */
export function frames(change: (frame: string, call: Call) => string): Wrap {
  return {
    frame: (real) => (data, call) => change(real(data, call), call),
    doneFrame: (real) => (call) => change(real(call), call),
  }
}

/** Puts something before the first event of each stream. */
export function beforeFirstFrame(made: (first: unknown, frame: (value: unknown) => string) => string): Wrap {
  const begun = new WeakSet<Call>()
  return {
    frame: (real) => (data, call) => {
      const frame = real(data, call)
      if (begun.has(call)) return frame
      begun.add(call)
      return made(JSON.parse(data), (value) => real(JSON.stringify(value), call)) + frame
    },
  }
}

/** Changes where the bytes of a stream go. */
export function sinks(change: (sink: StreamSink, call: Call) => Partial<StreamSink>): Wrap {
  return {
    openStream: (real) => (head, call) => {
      const sink = real(head, call)
      return { ...sink, ...change(sink, call) }
    },
  }
}

/** Changes each byte of a stream into some others. */
export function streamBytes(change: (bytes: Buffer) => Buffer): Wrap {
  return sinks((sink) => ({ write: (part) => sink.write(change(Buffer.from(part))) }))
}

/** Changes the headers of every answer. */
export function headers(change: (headers: Headers, call: Call) => Headers): Wrap {
  const changed = (head: Head, call: Call): Head => ({ ...head, headers: change(head.headers, call) })
  return {
    replyHead: (real) => (call) => changed(real(call), call),
    listHead: (real) => (call) => changed(real(call), call),
    streamHead: (real) => (call) => changed(real(call), call),
    errorAnswer: (real) => (error, call) => {
      const answer = real(error, call)
      return { ...answer, headers: change(answer.headers, call) }
    },
  }
}

type ErrorAnswer = ReturnType<Seams['errorAnswer']>

export function errorAnswers(change: (answer: ErrorAnswer, error: GatewayError, call: Call) => ErrorAnswer): Wrap {
  return { errorAnswer: (real) => (error, call) => change(real(error, call), error, call) }
}

/** Another status for the refusals with one of these codes. */
export function refusedWith(status: number, ...codes: readonly string[]): Wrap {
  return errorAnswers((answer, { code }) => (codes.includes(code) ? { ...answer, status } : answer))
}

/** Another shape of error bodies. `fields` are those of the honest error. */
export function errorBodies(shape: (error: GatewayError) => unknown): Wrap {
  return errorAnswers((answer, error) => ({ ...answer, body: shape(error) }))
}

/** Changes the text of JSON that is sent whole. */
export function bodies(change: (json: string) => string): Wrap {
  return { sendBody: (real) => (head, body, call) => real(head, /^[[{]/.test(body) ? change(body) : body, call) }
}

/** Changes the value that every body and every chunk is made of. */
export function encodes(change: (json: string, call: Call) => string): Wrap {
  return { encode: (real) => (value, call) => change(real(value, call), call) }
}

/** The string literals of a JSON text, and what is between them. */
export function jsonLiterals(json: string, change: { string?(text: string): string; other?(text: string): string }) {
  return json.replace(/"(?:[^"\\]|\\.)*"|[^"]+/g, (part) =>
    part.startsWith('"') ? (change.string?.(part) ?? part) : (change.other?.(part) ?? part),
  )
}

/** Does something first with every request. */
export function first(act: (call: Call) => Promise<void> | void): Wrap {
  return {
    serve: (real) => async (call) => {
      await act(call)
      await real(call)
    },
  }
}

/** The models under other ids, or under more of them. `inner` gives the id that the network knows. */
export function renaming(inner: (id: string) => string | undefined): Wrap {
  return {
    findModel: (real) => (id, call) => {
      const known = inner(id)
      const model = known === undefined ? undefined : real(known, call)
      return model === undefined ? undefined : { ...model, id }
    },
    chooseNode: (real) => (model, call) => real({ ...model, id: inner(model.id) ?? model.id }, call),
  }
}

/** Changes the list of the model list's elements. */
export function modelLists(change: (models: readonly unknown[], call: Call) => readonly unknown[]): Wrap {
  return {
    listModels: (real) => (models, call) => {
      const list = asJson(real(models, call))
      return { ...list, data: change(Array.isArray(list['data']) ? list['data'] : [], call) }
    },
  }
}

/** Whether the client takes a content coding. */
export function offers({ request }: Call, coding: string): boolean {
  return new RegExp(`\\b${coding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$))`).test(
    String(request.headers['accept-encoding'] ?? ''),
  )
}
