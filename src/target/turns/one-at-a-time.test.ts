import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { createTarget } from '../target.ts'
import { servesOneAtATime } from './one-at-a-time.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Long enough that whoever waits for it is seen to wait. */
const pauseMs = 200
const fragment = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
const reply = '{"choices":[{"index":0,"message":{"role":"assistant","content":"a"}}]}'

/** What a gateway does with the second half of a stream; resolves when the other request may be answered. */
type Course = (stream: ServerResponse, other: Promise<ServerResponse>) => Promise<unknown>

const config = {
  baseUrl: 'http://127.0.0.1:9',
  apiPath: '/api/v1',
  keys: {},
  settlingMs: 0,
  headers: [],
  insecure: false,
  timeoutMs: 20_000,
  concurrency: 8,
  requestsMax: 100,
  load: false,
  long: false,
  durationMsMax: 60_000,
  runId: 'test',
  version: '0.0.0',
} as const

/** Every answer begins so many milliseconds late. */
async function judged(course: Course, lateMs = 0): Promise<boolean> {
  let comes: (other: ServerResponse) => void
  let other: Promise<ServerResponse>
  let streams = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    await sleep(lateMs)
    if (!body.includes('"stream":true')) {
      if (streams > 0) comes(response)
      else response.end(reply)
      return
    }
    streams += 1
    other = new Promise((resolve) => {
      comes = resolve
    })
    response.write(fragment)
    await course(response, other)
    response.end(`${fragment}data: [DONE]\n\n`)
    streams -= 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const target = createTarget({ ...config, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  closing.push(
    () => target.close(),
    () => server.close(),
  )
  return servesOneAtATime(target, 'small', 10)
}

test('a target that answers another request while it streams serves several at a time', async () => {
  const answersAtOnce: Course = async (_, other) => {
    const response = await other
    response.end(reply)
    await once(response, 'close')
    await sleep(pauseMs)
  }
  expect(await judged(answersAtOnce)).toBe(false)
})

test('a target whose answers take longer than the rest of its stream serves several at a time', async () => {
  const isSoonDone: Course = () => sleep(50)
  expect(await judged(isSoonDone, 150)).toBe(false)
})

test('a target that lets another request wait for the end of a stream serves one at a time', async () => {
  const letsItWait: Course = async (stream, other) => {
    const response = await other
    stream.once('close', () => response.end(reply))
    await sleep(pauseMs)
  }
  expect(await judged(letsItWait)).toBe(true)
})

test('a target that ends a stream early when another request comes serves one at a time', async () => {
  let streams = 0
  const endsEarly: Course = async (stream, other) => {
    streams += 1
    // The second one is not disturbed: it shows how long an undisturbed stream takes.
    if (streams > 1) return sleep(pauseMs)
    const disturbing = await other
    stream.once('close', () => disturbing.end(reply))
  }
  expect(await judged(endsEarly)).toBe(true)
})

test('a quick target whose stream was left by us, after as many fragments as were asked for, has not ended it', async () => {
  const isQuick: Course = async (stream) => void stream.write(fragment.repeat(300))
  expect(await judged(isQuick, 50)).toBe(false)
})

test('of a target that is done with both at once, nothing is said', async () => {
  const isQuick: Course = async (_, other) => {
    void other.then((response) => response.end(reply))
  }
  expect(await judged(isQuick)).toBe(false)
})

test('a run that has neither time nor requests left does not end here', async () => {
  const target = createTarget({ ...config, requestsMax: 0 })
  closing.push(() => target.close())
  expect(await servesOneAtATime(target, 'small', 10)).toBe(false)
})
