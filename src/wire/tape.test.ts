import { expect, test } from 'vitest'
import { tapeWire } from './tape.ts'
import type { Exchange, SentRequest } from './transcript.ts'

const limits = { silenceMsMax: 1000, durationMsMax: 1000 }
const records = 'http://127.0.0.1:1/control/v1/records?script=one'
const reply: SentRequest = { method: 'POST', url: 'http://127.0.0.1:2/chat', headers: [], body: '{}' }

const offTape = () => Promise.reject(new Error('off the tape'))

function answered(id: number, request: SentRequest): Exchange {
  const head = { status: 200, headers: [], atMs: 1 }
  return { id, request, sentAt: id, head, arrivals: [], ending: 'complete', endedAtMs: 2 }
}

test('equal requests get their answers in the order of the run, and no more of them than there were', async () => {
  const wire = tapeWire([answered(2, reply), answered(1, reply)], offTape)
  expect((await wire.send(reply, limits)).id).toBe(1)
  expect((await wire.send(reply, limits)).id).toBe(2)
  await expect(wire.send(reply, limits)).rejects.toThrow('off the tape')
})

test('who looks at a node more often than the run did sees its last state again', async () => {
  const look: SentRequest = { method: 'GET', url: records, headers: [] }
  const wire = tapeWire([answered(1, look), answered(2, look)], offTape)
  const seen = [await wire.send(look, limits), await wire.send(look, limits), await wire.send(look, limits)]
  expect(seen.map(({ id }) => id)).toEqual([1, 2, 2])
})

test('what a node is told needs no record', async () => {
  const order: SentRequest = {
    method: 'PUT',
    url: 'http://127.0.0.1:1/control/v1/scripts/one',
    headers: [],
    body: '{}',
  }
  expect((await tapeWire([], offTape).send(order, limits)).head?.status).toBe(204)
})
