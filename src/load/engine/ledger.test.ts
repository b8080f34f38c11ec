import { describe, expect, test } from 'vitest'
import { outcomes } from '../figures/outcome.ts'
import {
  type Answerer,
  doneEvent,
  event,
  framed,
  lastChunk,
  planOf,
  startByteServer,
  streamHead,
  wholeStream,
} from '../test-tools.ts'
import { createEngine } from './engine.ts'
import { monotonicMs } from './monotonic.ts'

const words = ['One ', 'two ', 'three.']
const chunks = words.map((word) => framed(event(word))).join('')

/** Every way to end, in turn. Named as the ledger names it. */
const answers: Readonly<Record<string, (socket: Parameters<Answerer>[0]) => void>> = {
  ok: (socket) => socket.write(wholeStream(words)),
  truncated: (socket) => socket.end(streamHead + chunks),
  reset: (socket) => {
    socket.write(streamHead + chunks)
    setTimeout(() => socket.resetAndDestroy(), 5)
  },
  noDone: (socket) => socket.write(streamHead + chunks + lastChunk),
  inBandError: (socket) =>
    socket.write(streamHead + chunks + framed('data: {"error":{"message":"the node died"}}\n\n') + lastChunk),
  schema: (socket) =>
    socket.write(streamHead + chunks + framed(event('x', 'another id')) + framed(doneEvent) + lastChunk),
  framing: (socket) => socket.end(`${streamHead}zz\r\nwhat`),
  http503: (socket) => socket.write('HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\n{}'),
  http429: (socket) => socket.write('HTTP/1.1 429 Slow down\r\nContent-Length: 2\r\n\r\n{}'),
  http4xx: (socket) => socket.end('HTTP/1.1 400 No\r\nConnection: close\r\n\r\n{}'),
  http5xx: (socket) => socket.write('HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n'),
}
const kinds = Object.keys(answers)

describe.concurrent('the outcome ledger', () => {
  test.each(Array.from({ length: 20 }, (_, turn) => turn))("is the server's own count, run %i", async (turn) => {
    const server = await startByteServer((socket, number) => {
      // Each run in another order.
      const kind = kinds[(number * (turn + 2) + turn) % kinds.length] ?? ''
      answers[kind]?.(socket)
      return kind
    })
    try {
      const engine = createEngine(planOf(server.url, { requestsMax: 220, seed: turn }), { shard: 0, shards: 1 })
      engine.warm()
      const result = await engine.run(monotonicMs() + 50)
      const { sent, ...found } = result.outcomes
      expect(sent).toBe(220)
      const expected = Object.fromEntries(outcomes.map((outcome) => [outcome, server.given.get(outcome) ?? 0]))
      expect(found, JSON.stringify(result.reasons)).toEqual(expected)
    } finally {
      await server.close()
    }
  })
})

test('a server that answers streams with JSON is told of with the option that asks for it', async () => {
  const reply = 'HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}'
  const server = await startByteServer((socket) => {
    socket.write(reply)
    return 'json'
  })
  const engine = createEngine(planOf(server.url, { requestsMax: 2 }), { shard: 0, shards: 1 })
  engine.warm()
  const { outcomes: found, reasons } = await engine.run(monotonicMs())
  await server.close()
  expect(found).toMatchObject({ sent: 2, framing: 2 })
  expect(reasons.framing?.[0]).toContain('--stream off')
})
