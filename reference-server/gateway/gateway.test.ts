import { once } from 'node:events'
import { connect } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import type { Demo } from '../demo.ts'
import { type GatewayOptions, type RunningGateway, startGateway } from '../main.ts'

const running: RunningGateway[] = []

async function start(options: GatewayOptions = {}): Promise<{ url: string; keys: Demo }> {
  const gateway = await startGateway({ demo: true, ...options })
  running.push(gateway)
  if (gateway.demo === undefined) throw new Error('a demo gateway has demo keys')
  return { url: gateway.baseUrl, keys: gateway.demo }
}

afterAll(async () => {
  await Promise.all(running.map((gateway) => gateway.close()))
})

const { url, keys } = await start()
const chatUrl = `${url}/api/v1/chat/completions`
const hello = { model: 'small', messages: [{ role: 'user', content: 'Hello there' }] }

function chat(change: object = {}, key = keys.apiKey, signal: AbortSignal | null = null): Promise<Response> {
  return post(JSON.stringify({ ...hello, ...change }), key, signal)
}

function post(
  body: string | Uint8Array<ArrayBuffer>,
  key = keys.apiKey,
  signal: AbortSignal | null = null,
): Promise<Response> {
  return fetch(chatUrl, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body, signal })
}

interface Completion {
  readonly id: string
  readonly choices: readonly [{ readonly message: { readonly content: string }; readonly finish_reason: string }]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number }
}

/** The tests below look at every field that they rely on. */
async function json<T>(response: Response): Promise<T> {
  return JSON.parse(await response.text())
}

async function errorOf(response: Response): Promise<{ code: string; param: string | null; message: string }> {
  expect(response.headers.get('content-type')).toBe('application/json')
  return (await json<{ error: { code: string; param: string | null; message: string } }>(response)).error
}

async function raw(request: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(request)
  return readAll(socket)
}

describe('a whole reply', () => {
  test('has the shape of C2.3', async () => {
    const body = await json<Completion>(await chat())
    expect(body).toMatchObject({ object: 'chat.completion', model: 'small', system_fingerprint: null })
    expect(body.id).toMatch(/^chatcmpl-[0-9a-f]{24}$/)
    expect(body.choices).toEqual([
      {
        index: 0,
        message: { role: 'assistant', content: expect.stringContaining('Hello there') },
        finish_reason: 'stop',
      },
    ])
    expect(body.usage.prompt_tokens).toBe(8)
    expect(body.usage.total_tokens).toBe(body.usage.prompt_tokens + body.usage.completion_tokens)
  })

  test('max_tokens limits it, however large the number', async () => {
    const short = await json<Completion>(await chat({ max_tokens: 3 }))
    expect(short.choices[0].finish_reason).toBe('length')
    expect(short.usage.completion_tokens).toBe(3)
    for (const huge of ['9007199254740992', '1e308']) {
      const response = await post(JSON.stringify({ ...hello, max_tokens: 0 }).replace(':0', `:${huge}`))
      expect(response.status).toBe(200)
    }
  })

  test('never contains a lone surrogate', async () => {
    const response = await post(JSON.stringify({ ...hello, messages: [{ role: 'user', content: 'a\ud83d\u0000' }] }))
    expect(response.status).toBe(200)
    const body = await response.text()
    expect(body).not.toMatch(/\\ud83d/i)
    expect(JSON.parse(body).choices[0].message.content).toContain('a\ufffd\u0000')
  })
})

describe('a stream', () => {
  test('has the shape of C2.4 and says what the whole reply says', async () => {
    const whole = await json<Completion>(await chat())
    const response = await chat({ stream: true, stream_options: { include_usage: true } })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const events = (await response.text()).split('\n\n')
    expect(events.slice(-2)).toEqual(['data: [DONE]', ''])
    const chunks = events.slice(0, -2).map((event) => JSON.parse(event.replace('data: ', '')))
    expect(new Set(chunks.map(({ id, created }) => `${id} ${created}`)).size).toBe(1)
    for (const chunk of chunks) expect(Object.values(chunk), 'clients take no null here').not.toContain(null)
    expect(chunks[0].choices).toEqual([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }])
    expect(chunks.at(-2).choices).toEqual([{ index: 0, delta: {}, finish_reason: 'stop' }])
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage })
    const content = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
    expect(content).toBe(whole.choices[0].message.content)
  })

  test('leaves in few writes when the node is fast, and at once when it is slow', async () => {
    const slow = await start({ pace: 'profile' })
    const response = await fetch(`${slow.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${slow.keys.apiKey}` },
      body: JSON.stringify({ ...hello, stream: true, max_tokens: 10 }),
    })
    const arrivals: number[] = []
    for await (const _ of response.body ?? []) arrivals.push(performance.now())
    expect(arrivals.length).toBeGreaterThan(5)
    expect((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(50)
  })

  test.each([true, false])('that nobody reads any more is cancelled at the node (stream: %s)', async (stream) => {
    const signals: AbortSignal[] = []
    const ended: number[] = []
    let generated = 0
    const watched = await start({
      pace: 'profile',
      wraps: [
        {
          generate: (real) =>
            async function* (node, job, signal, call) {
              signals.push(signal)
              const reply = real(node, job, signal, call)
              for (;;) {
                const step = await reply.next()
                if (step.done) return step.value
                generated += 1
                yield step.value
              }
            },
          charge: (real) => (hold, cost, usage, call) => {
            ended.push(usage.completionTokens)
            return real(hold, cost, usage, call)
          },
        },
      ],
    })
    const leaving = new AbortController()
    const response = fetch(`${watched.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${watched.keys.apiKey}` },
      body: JSON.stringify({ ...hello, stream }),
      signal: leaving.signal,
    })
    const read = response.then((answer) => answer.text()).catch(() => undefined)
    await expect.poll(() => generated).toBeGreaterThan(2)
    leaving.abort()
    await read
    await expect.poll(() => ended.length).toBe(1)
    expect(signals[0]?.aborted).toBe(true)
    expect(ended[0]).toBeLessThan(30)
  })

  test('of a node that dies ends with an error event and without [DONE]; before its first word it is a 503', async () => {
    for (const words of [0, 3]) {
      const dying = await start({
        wraps: [
          {
            generate: () =>
              async function* () {
                for (let count = 0; count < words; count += 1) yield { text: 'word ', tokens: 1 }
                throw new Error('secret address')
              },
          },
        ],
      })
      const response = await fetch(`${dying.url}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${dying.keys.apiKey}` },
        body: JSON.stringify({ ...hello, stream: true }),
      })
      const body = await response.text()
      expect(response.status).toBe(words === 0 ? 503 : 200)
      expect(body).toContain('"error":{')
      expect(body).not.toMatch(/\[DONE\]|secret/)
    }
  })
})

describe('refusals', () => {
  test.each([
    ['no header', {}],
    ['another scheme', { authorization: `Basic ${keys.apiKey}` }],
    ['no key', { authorization: 'Bearer ' }],
    ['an unknown key', { authorization: `Bearer ${keys.apiKey}x` }],
    ['a revoked key', { authorization: `Bearer ${keys.revokedKey}` }],
  ])('401 for %s', async (_, headers) => {
    for (const path of ['chat/completions', 'models']) {
      const method = path === 'models' ? 'GET' : 'POST'
      const response = await fetch(`${url}/api/v1/${path}`, { method, headers })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
      expect((await errorOf(response)).message).not.toContain('sk-assay')
    }
  })

  test('the scheme in any case, with several spaces, is understood; a repeated header is not', async () => {
    const head = `GET /api/v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: bEARER   ${keys.apiKey}\r\n`
    expect(await raw(`${head}\r\n`)).toMatch(/^HTTP\/1.1 200 /)
    expect(await raw(`${head}authorization: Bearer ${keys.apiKey}\r\n\r\n`)).toMatch(/^HTTP\/1.1 401 /)
  })

  test('402 without funds, 404 for an unknown model, 503 for one without a node', async () => {
    const unfunded = await chat({}, keys.unfundedKey)
    expect([unfunded.status, (await errorOf(unfunded)).code]).toEqual([402, 'insufficient_funds'])
    const unknown = await chat({ model: 'no\ud83dne' })
    expect([unknown.status, (await errorOf(unknown)).code]).toEqual([404, 'model_not_found'])
    const dormant = await chat({ model: keys.unavailableModel })
    expect([dormant.status, (await errorOf(dormant)).code]).toEqual([503, 'model_unavailable'])
    expect(dormant.headers.get('retry-after')).toBe('1')
  })

  test('429 after five requests per minute, with true numbers, and only for that key', async () => {
    const statuses: number[] = []
    for (let count = 0; count < 5; count += 1) statuses.push((await chat({ max_tokens: 1 }, keys.limitedKey)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200])
    const refused = await chat({}, keys.limitedKey)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeOneOf([11, 12])
    expect(refused.headers.get('x-ratelimit-limit-requests')).toBe('5')
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0')
    expect((await chat({}, keys.secondKey)).status).toBe(200)
  })

  test('400 for what is not a request, and for a prompt over the window', async () => {
    expect((await post('{"model":')).status).toBe(400)
    expect((await post(new Uint8Array([0x22, 0xff, 0x22]))).status).toBe(400)
    const long = await chat({ model: 'large', messages: [{ role: 'user', content: 'word '.repeat(70_000) }] })
    expect([long.status, (await errorOf(long)).code]).toEqual([400, 'context_length_exceeded'])
  })

  test('413 for a body over 8 MiB', async () => {
    const response = await post('x'.repeat(9 * 1024 * 1024))
    expect([response.status, (await errorOf(response)).code]).toEqual([413, 'request_too_large'])
  })

  test('404 elsewhere, 405 for another method', async () => {
    expect((await fetch(`${url}/api/v2/models`)).status).toBe(404)
    const response = await fetch(chatUrl)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

describe('the server', () => {
  test('lists the models that a node serves', async () => {
    const headers = { authorization: `Bearer ${keys.apiKey}` }
    const response = await fetch(`${url}/api/v1/models?x=1`, { headers })
    const { object, data } = await json<{ object: string; data: { id: string; pricing: object }[] }>(response)
    expect(object).toBe('list')
    expect(data.map(({ id }) => id)).toEqual(['small', 'medium', 'large'])
    expect(data[2]).toMatchObject({ object: 'model', context_window: 65_536 })
    expect(data[2]?.pricing).toEqual({ prompt: 0.6, completion: 0.6, unit: 'per_million_tokens' })
    const head = await fetch(`${url}/api/v1/models`, { method: 'HEAD', headers })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test('answers what is not HTTP with a 400 and goes on', async () => {
    expect(await raw('hello\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*"code":"bad_request"/s)
    const cut = `POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${keys.apiKey}\r\n`
    expect(await raw(`${cut}transfer-encoding: chunked\r\n\r\nzz\r\n`)).toMatch(/^HTTP\/1.1 400 /)
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.write(`${cut}content-length: 100\r\n\r\n{"mod`)
    await delay(20)
    socket.resetAndDestroy()
    expect((await chat()).status).toBe(200)
  })

  test('a connection stays usable after an error', async () => {
    const bad = `POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n12345`
    const good = `GET /api/v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${keys.apiKey}\r\n\r\n`
    const answers = await raw(bad + good)
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200'])
  })

  test('has stable demo keys, and ends with connections open', async () => {
    const gateway = await startGateway({ demo: true })
    expect(gateway.demo).toEqual(keys)
    const { hostname, port } = new URL(gateway.baseUrl)
    const idle = connect(Number(port), hostname).on('error', () => {})
    await once(idle, 'connect')
    await gateway.close()
    idle.destroy()
  })
})
