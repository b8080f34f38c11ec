import { createServer, type Socket } from 'node:net'
import { createHistogram } from './figures/histogram.ts'
import { type LoadResult, mergeResults } from './figures/result.ts'
import { holds } from './schedule/objective.ts'
import type { LoadPlan } from './schedule/plan.ts'

/** A byte-level server for the load engine's tests: it answers each request once and counts its answers. */
export interface ByteServer {
  readonly url: string
  /** How often each kind of answer was given. */
  readonly given: Map<string, number>
  close(): Promise<void>
}

/** Answers a request on its socket, and returns the kind of its answer. `number` counts requests from zero. */
export type Answerer = (socket: Socket, number: number, body: string) => string

export async function startByteServer(answer: Answerer): Promise<ByteServer> {
  const given = new Map<string, number>()
  const sockets = new Set<Socket>()
  let number = 0
  const server = createServer((socket) => {
    let received = ''
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      for (;;) {
        const headEnd = received.indexOf('\r\n\r\n')
        const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0)
        if (headEnd === -1 || received.length < headEnd + 4 + length) return
        const body = received.slice(headEnd + 4, headEnd + 4 + length)
        received = received.slice(headEnd + 4 + length)
        const kind = answer(socket, number, body)
        number += 1
        given.set(kind, (given.get(kind) ?? 0) + 1)
      }
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}/api/v1/chat/completions`,
    given,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

export const streamHead = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n'

/** One chunk of the transfer coding. */
export function framed(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}

export function event(content: string, id = 'chatcmpl-1'): string {
  return `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
}

export const doneEvent = 'data: [DONE]\n\n'
export const lastChunk = '0\r\n\r\n'

export function wholeStream(contents: readonly string[]): string {
  return streamHead + contents.map((content) => framed(event(content))).join('') + framed(doneEvent) + lastChunk
}

export function planOf(url: string, changes: Partial<LoadPlan> = {}): LoadPlan {
  return {
    url,
    headers: { 'Content-Type': 'application/json' },
    model: 'small',
    stream: true,
    maxTokens: 16,
    promptChars: 60,
    arrivals: { kind: 'closed', connections: 4 },
    durationMs: 10_000,
    warmupMs: 0,
    drainMs: 5000,
    limits: { connectMs: 2000, headMs: 2000, firstContentMs: 2000, idleMs: 2000, totalMs: 10_000 },
    validateShare: 0.01,
    objectives: [],
    leavingShare: 0,
    seed: 1,
    insecure: false,
    shards: 1,
    stamped: false,
    ...changes,
  }
}

/** A result as a load might have had it: every one of `count` requests was complete, and began to answer after `ttftMs`. */
export function resultOf(plan: LoadPlan, count: number, ttftMs: number): LoadResult {
  const histogram = createHistogram()
  histogram.record(ttftMs, count)
  const ttft = histogram.stats()
  histogram.free()
  const empty = mergeResults(plan, { results: [], lost: [] })
  return {
    ...empty,
    outcomes: { ...empty.outcomes, sent: count, ok: count },
    metrics: { ...empty.metrics, ttft: { service: ttft, response: ttft } },
    validity: { ...empty.validity, verdict: 'valid', reasons: [] },
    slo: plan.objectives.map((objective) => {
      const { subject, expression } = objective
      const value = subject.kind === 'figure' ? 0 : ttft[subject.stat]
      const isUnreliable = subject.kind === 'metric' && ttft.unreliable.some((name) => name === subject.stat)
      return { expression, value, pass: holds(objective, value), ...(isUnreliable && { unreliable: true as const }) }
    }),
  }
}
