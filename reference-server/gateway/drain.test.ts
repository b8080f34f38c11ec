import { once } from 'node:events'
import { Agent, get as getPlainly, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test, vi } from 'vitest'
import { type GatewayOptions, type RunningGateway, startGateway } from '../main.ts'

const running: RunningGateway[] = []
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.close()
})

async function close(gateway: RunningGateway): Promise<void> {
  running.splice(running.indexOf(gateway), 1)
  await gateway.close()
}

async function gatewayOf(options: GatewayOptions = {}): Promise<RunningGateway> {
  const gateway = await startGateway({ demo: true, metrics: {}, control: {}, ...options })
  running.push(gateway)
  return gateway
}

function chat({ baseUrl, demo }: RunningGateway, body: object = {}): Promise<Response> {
  return fetch(`${baseUrl}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo?.apiKey}` },
    body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Count.' }], max_tokens: 16, ...body }),
  })
}

/** A stream whose first piece has come; the node holds the rest back until it is let go. */
async function heldStream() {
  const held = Promise.withResolvers<void>()
  const gateway = await gatewayOf({
    wraps: [
      {
        generate: (real) =>
          async function* (...parts) {
            const fragments = real(...parts)
            let step = await fragments.next()
            while (step.done !== true) {
              yield step.value
              await held.promise
              step = await fragments.next()
            }
            return step.value
          },
      },
    ],
  })
  const response = await chat(gateway, { stream: true })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const first = (await reader?.read())?.value ?? ''
  return {
    gateway,
    letGo: held.resolve,
    /** The whole text of the stream; rejects when it is cut. */
    async whole(): Promise<string> {
      let said = first
      for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) said += piece.value
      return said
    },
  }
}

test('a stream that is under way ends whole and is charged, and new requests get a 503 meanwhile', async () => {
  const { gateway, letGo, whole } = await heldStream()
  const ready = async (): Promise<number> => (await fetch(`${gateway.metricsUrl}/ready`)).status
  expect([gateway.underWay, await ready()]).toEqual([1, 200])
  const drained = gateway.drain(60_000)
  expect(await ready()).toBe(503)
  const refused = await chat(gateway)
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(refused.headers.get('connection')).toBe('close')
  expect(await refused.json()).toMatchObject({ error: { code: 'shutting_down' } })
  expect(gateway.underWay).toBe(1)
  letGo()
  expect(await whole()).toMatch(/data: \[DONE\]\s*$/)
  await drained
  expect(gateway.underWay).toBe(0)
  const metrics = await (await fetch(`${gateway.metricsUrl}/metrics`)).text()
  expect(metrics).toMatch(/^assay_tokens_total [1-9]/m)
})

test('a restart and an end at once both notice that nothing is under way any more', async () => {
  const { gateway, letGo, whole } = await heldStream()
  const ended = Promise.all([gateway.drain(60_000), gateway.restart()])
  letGo()
  await whole()
  await ended
  expect(gateway.underWay).toBe(0)
})

test('what is under way when the time is up, or when the signal comes, is left to be cut', async () => {
  for (const end of ['time', 'signal'] as const) {
    const { gateway, whole } = await heldStream()
    const cut = new AbortController()
    const drained = gateway.drain(end === 'time' ? 0 : 60_000, cut.signal)
    if (end === 'signal') cut.abort()
    await drained
    expect(gateway.underWay).toBe(1)
    await close(gateway)
    await expect(whole()).rejects.toThrow()
  }
})

/** Asks again and again on one connection until the gateway is ending, as a client does that heeds a 503. */
async function hammer({ baseUrl, demo }: RunningGateway, asked: () => void): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (): Promise<IncomingMessage> => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const headers = { authorization: `Bearer ${demo?.apiKey}` }
    getPlainly(`${baseUrl}/api/v1/models`, { agent, headers }, resolve).on('error', reject)
    return promise
  }
  try {
    for (;;) {
      const response = await ask()
      for await (const _ of response) asked()
      if (response.statusCode !== 200) return String(response.statusCode)
    }
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  } finally {
    agent.destroy()
  }
}

test('no request of a busy connection is reset: each is answered, with a 503 at the end', async () => {
  const gateway = await gatewayOf()
  let answers = 0
  const clients = Array.from({ length: 12 }, () =>
    hammer(gateway, () => {
      answers += 1
    }),
  )
  await vi.waitFor(() => expect(answers).toBeGreaterThan(200), { timeout: 20_000 })
  await gateway.drain(30_000)
  await close(gateway)
  expect(new Set(await Promise.all(clients))).toEqual(new Set(['503']))
})

test('a connection without a request is ended in good order, not reset', async () => {
  const gateway = await gatewayOf()
  const agent = new Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${gateway.demo?.apiKey}` }
  const asked = getPlainly(`${gateway.baseUrl}/api/v1/models`, { agent, headers })
  const [[socket], [response]] = await Promise.all([once(asked, 'socket'), once(asked, 'response')])
  await text(response)
  const ended = once(socket, 'close')
  await gateway.drain(30_000)
  await close(gateway)
  // Whether it was closed by an error.
  expect(await ended).toEqual([false])
  agent.destroy()
})

test('a gateway that begins anew ends a stream whole, refuses meanwhile, and serves again on the same address', async () => {
  const { gateway, letGo, whole } = await heldStream()
  const restarted = gateway.restart()
  expect((await chat(gateway)).status).toBe(503)
  letGo()
  expect(await whole()).toMatch(/data: \[DONE\]\s*$/)
  await restarted
  expect((await chat(gateway)).status).toBe(200)
})

test('until the notice is over new requests are served, and every answer ends its connection', async () => {
  const gateway = await gatewayOf()
  const over = new AbortController()
  const drained = gateway.drain(30_000, over.signal, 60_000)
  expect((await fetch(`${gateway.metricsUrl}/ready`)).status).toBe(503)
  const answer = await chat(gateway)
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
  over.abort()
  await drained
  expect((await chat(gateway)).status).toBe(503)
})

test('a stream that began before the notice does not promise its connection to a request that would be refused', async () => {
  const { gateway, letGo } = await heldStream()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { authorization: `Bearer ${gateway.demo?.apiKey}` }
  const body = { model: 'small', stream: true, messages: [{ role: 'user', content: 'Count.' }], max_tokens: 16 }
  const asked = request(`${gateway.baseUrl}/api/v1/chat/completions`, { agent, headers, method: 'POST' })
  asked.end(JSON.stringify(body))
  const [stream]: IncomingMessage[] = await once(asked, 'response')
  const drained = gateway.drain(30_000, undefined, 1)
  // A chat that came during the notice would be held back like the streams.
  const list = (): Promise<Response> => fetch(`${gateway.baseUrl}/api/v1/models`, { headers })
  await vi.waitFor(async () => expect((await list()).status).toBe(503), { timeout: 20_000 })
  letGo()
  if (stream === undefined) throw new Error('the stream was answered')
  expect([stream.headers.connection, await text(stream)]).toEqual(['keep-alive', expect.stringMatching(/\[DONE\]\s*$/)])
  const next = getPlainly(`${gateway.baseUrl}/api/v1/models`, { agent, headers })
  const [answer]: IncomingMessage[] = await once(next, 'response')
  expect([next.reusedSocket, answer?.statusCode, answer?.headers.connection]).toEqual([true, 200, 'close'])
  answer?.resume()
  await drained
  agent.destroy()
})

test('a connection without a request lives through a new beginning', async () => {
  const gateway = await gatewayOf()
  const { hostname, port } = new URL(gateway.baseUrl)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  // The gateway has it, too, once it has answered somebody who came later.
  expect((await chat(gateway)).status).toBe(200)
  await gateway.restart()
  socket.write(`GET /api/v1/models HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${gateway.demo?.apiKey}\r\n\r\n`)
  const [said] = await once(socket, 'data')
  expect(String(said)).toMatch(/^HTTP\/1\.1 200 /)
  socket.destroy()
})
