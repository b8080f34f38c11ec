import { expect, test } from 'vitest'
import type { ReplyStep } from '../node.ts'
import { NodeFailure } from '../node-failure.ts'
import { readReply } from './read-reply.ts'

const chunk = (content: string, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`
const done = 'data: [DONE]\n\n'
const eventStream = 'text/event-stream'

async function* inPieces(text: string) {
  for (const byte of Buffer.from(text)) yield Uint8Array.of(byte)
}

async function read(text: string, contentType = eventStream): Promise<readonly ReplyStep[]> {
  const steps: ReplyStep[] = []
  for await (const step of readReply({ status: 200, headers: { 'content-type': contentType }, body: inPieces(text) }))
    steps.push(step)
  return steps
}

test('a stream is read whatever its media type is written like, and wherever its bytes are cut', async () => {
  for (const contentType of [eventStream, 'Text/Event-Stream; Charset=UTF-8'])
    expect(await read(chunk('Grü') + chunk('n 👋', 'stop') + done, contentType)).toEqual([
      'Grü',
      'n 👋',
      { finishReason: 'stop' },
    ])
})

test.each([
  ['with a text', 'data: {"error":"out of memory"}\n\n'],
  ['with an object', 'data: {"error":{"message":"out of memory"}}\n\n'],
  ['that is an object named error', 'data: {"object":"error","message":"out of memory","code":500}\n\n'],
  ['with a detail', 'data: {"detail":"out of memory"}\n\n'],
  ['of that name', 'event: error\ndata: {"note":"out of memory"}\n\n'],
  ['beside choices', 'data: {"choices":[{"delta":{}}],"error":{"code":502}}\n\n'],
])('an error event %s breaks the reply, even if [DONE] follows', async (_, event) => {
  await expect(read(chunk('One ') + event + done)).rejects.toThrow('the node sent an error event')
})

test.each([
  ['an error event', 'data: {"error":"out of memory"}\n\n'],
  ['what is not a chunk', 'data: {"choices":[{"del\n\n'],
])('the text before %s is read, even if all came at once', async (_, event) => {
  const body = ReadableStream.from([Buffer.from(chunk('One ') + chunk('two ') + event + done)])
  const texts: ReplyStep[] = []
  const reading = async (): Promise<void> => {
    for await (const step of readReply({ status: 200, headers: { 'content-type': eventStream }, body }))
      texts.push(step)
  }
  await expect(reading()).rejects.toThrow(NodeFailure)
  expect(texts).toEqual(['One ', 'two '])
})

test.each(['error', 'abort'])('the finish reason %s is a failure in both forms', async (reason) => {
  await expect(read(chunk('One ', reason) + done)).rejects.toThrow(`ended its reply with ${reason}`)
  const whole = { choices: [{ message: { content: 'One ' }, finish_reason: reason }] }
  await expect(read(JSON.stringify(whole), 'application/json')).rejects.toThrow(`ended its reply with ${reason}`)
})

test('events without choices that report no error are skipped', async () => {
  const others = 'data: {"type":"ping"}\n\ndata: {"usage":{"total_tokens":3}}\n\ndata: {"choices":[],"error":null}\n\n'
  expect(await read(chunk('One ') + others + chunk('', 'length') + done)).toEqual([
    'One ',
    '',
    { finishReason: 'length' },
  ])
})

test('a line that never ends breaks the reply before it fills the memory; many short ones do not', async () => {
  const mebibyte = Buffer.alloc(1024 * 1024, 'a')
  let sent = 0
  async function* endless(start: string) {
    yield Buffer.from(start)
    for (;;) {
      sent += 1
      yield mebibyte
    }
  }
  for (const start of ['data: {"choices":[', ': ', 'data: 1\ndata: 2\ndata: ']) {
    sent = 0
    const reading = async (): Promise<void> => {
      for await (const _ of readReply({ status: 200, headers: { 'content-type': eventStream }, body: endless(start) }));
    }
    await expect(reading()).rejects.toThrow('an event without an end')
    expect(sent).toBeLessThan(4)
  }
  async function* many() {
    const comments = Buffer.from(': still busy\n\n'.repeat(80_000))
    for (let turn = 0; turn < 16; turn += 1) yield comments
    yield Buffer.from(chunk('One', 'stop') + done)
  }
  const steps: ReplyStep[] = []
  for await (const step of readReply({ status: 200, headers: { 'content-type': eventStream }, body: many() }))
    steps.push(step)
  expect(steps).toEqual(['One', { finishReason: 'stop' }])
})

test('a reply that announces more than may be read is not waited for', async () => {
  const reading = async (): Promise<void> => {
    const body = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('it was read')) }) }
    const reply = { status: 200, headers: { 'content-type': 'application/json', 'content-length': '1000000000' }, body }
    for await (const _ of readReply(reply));
  }
  await expect(reading()).rejects.toThrow('the reply of the node is too large')
})
