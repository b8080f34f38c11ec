import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunningNode } from './running-node.ts'
import type { NodeRecord } from './send/records.ts'

/** What came back on a separate connection, byte for byte, and how it ended. */
export interface Heard {
  readonly head: string
  readonly body: string
  readonly ended: 'end' | 'reset'
}

export function chatRequest(content: string, change: object = {}): string {
  const body = JSON.stringify({ model: 'small', messages: [{ role: 'user', content }], ...change })
  const head = 'POST /v1/chat/completions HTTP/1.1\r\nhost: node\r\nconnection: close\r\n'
  return `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** A connection on which this request has been sent. */
export function opened(node: RunningNode, request: string): Socket {
  const { hostname, port } = new URL(node.url)
  const socket = connect(Number(port), hostname)
  socket.write(request)
  return socket
}

export async function heard(node: RunningNode, request: string): Promise<Heard> {
  const socket = opened(node, request)
  let text = ''
  let ended: Heard['ended'] = 'end'
  socket.setEncoding('utf8')
  socket.on('data', (piece: string) => {
    text += piece
  })
  socket.on('error', () => {
    ended = 'reset'
  })
  await new Promise((resolve) => socket.on('close', resolve))
  const [head = '', body = ''] = text.split(/\r\n\r\n([\s\S]*)/, 2)
  return { head, body, ended }
}

/** Resolves when this text has arrived on the connection. */
export async function brings(socket: Socket, wanted: string): Promise<void> {
  for (let text = ''; !text.includes(wanted); ) {
    const [piece] = await once(socket, 'data')
    text += String(piece)
  }
}

/** The last record, as soon as it is as expected. */
export async function lastRecord(node: RunningNode, isReady: (record: NodeRecord) => boolean): Promise<NodeRecord> {
  for (;;) {
    const record = node.records().at(-1)
    if (record !== undefined && isReady(record)) return record
    await delay(5)
  }
}
