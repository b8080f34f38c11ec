import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import type { Part } from '../plan/parts.ts'
import type { Ending, ReplyPlan } from '../plan/reply-plan.ts'
import type { OpenRecord } from './records.ts'

export interface Sending {
  readonly response: ServerResponse
  /** Aborts when the connection is gone, whoever closed it. */
  readonly gone: AbortSignal
  readonly clock: Clock
  /** The request's arrival by the clock, from which the plan's times count. */
  readonly arrivedAtMs: number
  readonly record: OpenRecord
}

const filler: Part = { atMs: 0, bytes: Buffer.alloc(16_384, 'a'), chunks: 0 }

/** Carries out a plan. Resolves when the plan's ending is reached or the connection is gone. */
export async function sendReply(plan: ReplyPlan, sending: Sending): Promise<void> {
  const { response, gone, record } = sending
  for (const part of plan.parts) {
    await due(part.atMs, sending)
    if (gone.aborted) return
    writeHead(plan, sending)
    await write(part, sending)
    // What is written in one turn of the event loop leaves together.
    if (plan.apart) await nextTurn()
  }
  await due(plan.endAtMs, sending)
  if (gone.aborted) return
  if (plan.head !== undefined) {
    writeHead(plan, sending)
    response.flushHeaders()
  }
  if (plan.ending !== 'end' && plan.ending !== 'hang') await flushed(response, gone)
  if (gone.aborted) return
  if (plan.ending === 'reset' || plan.ending === 'close') record.outcome = 'cut-by-node'
  await endings[plan.ending](sending)
}

const endings: Readonly<Record<Ending, (sending: Sending) => Promise<void> | void>> = {
  end: ({ response }) => void response.end(),
  hang: () => undefined,
  reset: ({ response }) => void response.socket?.resetAndDestroy(),
  // Ends the connection in the middle of a body: the rest of its length, or its last piece, is never sent.
  close: ({ response }) => void response.socket?.end(),
  fill: async (sending) => {
    while (!sending.gone.aborted) {
      await write(filler, sending)
      await nextTurn()
    }
  },
}

/** Waits until a time that was fixed in advance, so that lateness does not add up. Timers may be a little early. */
async function due(atMs: number, { clock, arrivedAtMs, gone }: Sending): Promise<void> {
  for (;;) {
    const leftMs = arrivedAtMs + atMs - clock.nowMs()
    if (leftMs <= 0 || gone.aborted) return
    await clock.sleep(leftMs, gone).catch(() => undefined)
  }
}

function writeHead({ head }: ReplyPlan, { response, record }: Sending): void {
  if (head === undefined || response.headersSent) return
  response.writeHead(head.status, head.headers)
  record.status = head.status
}

/** Waits while the other side is too slow to read. */
async function write({ bytes, chunks }: Part, { response, gone, record }: Sending): Promise<void> {
  const isTaken = response.write(bytes)
  record.bytesWritten += bytes.length
  record.chunksWritten += chunks
  if (!isTaken) await drained(response, gone)
}

function drained(response: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      gone.removeEventListener('abort', done)
      resolve()
    }
    response.on('drain', done)
    gone.addEventListener('abort', done)
    if (gone.aborted) done()
  })
}

/** Resolves when the kernel has taken over every byte: a reset throws away those that it has not. */
function flushed(response: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    gone.addEventListener('abort', () => resolve(), { once: true })
    if (gone.aborted || response.socket === null) resolve()
    else response.socket.write('', () => resolve())
  })
}
