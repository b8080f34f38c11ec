import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startNode } from './node-server.ts'
import type { Script } from './script/script.ts'
import { brings, chatRequest, heard, lastRecord, opened } from './test-tools.ts'

const node = await startNode({ models: ['small', 'other'], seed: 7 })
const chatUrl = `${node.url}/v1/chat/completions`

afterAll(() => node.close())
beforeEach(() => node.clearRecords())

interface Reply {
  readonly model: string
  readonly choices: readonly [{ readonly message: { readonly content: string }; readonly finish_reason: string }]
  readonly usage: { readonly completion_tokens: number; readonly total_tokens: number; readonly prompt_tokens: number }
}

function ask(change: object = {}, url = chatUrl): Promise<Response> {
  const body = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Tell me more.' }], ...change })
  return fetch(url, { method: 'POST', body })
}

/** The tests look at every field that they rely on. */
async function json<T = Reply>(response: Response | Promise<Response>): Promise<T> {
  return JSON.parse(await (await response).text())
}

function scripted(script: Script, change: object = {}): Promise<Response> {
  node.script('one', script)
  return ask({ messages: [{ role: 'user', content: 'A test: assay-script-one.' }], ...change })
}

function eventsOf(text: string): string[] {
  return text.split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [event.slice(6)] : []))
}

function textOf(events: readonly string[]): string {
  return events
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data).choices[0]?.delta.content ?? '')
    .join('')
}

describe('without a script', () => {
  test('a reply depends on the prompt and is the same in both modes', async () => {
    const reply = await json(ask())
    expect(reply.choices[0].message.content).toMatch(/^You wrote: "Tell me more\."/)
    expect(reply).toMatchObject({ object: 'chat.completion', model: 'small', choices: [{ finish_reason: 'stop' }] })
    const events = eventsOf(await (await ask({ stream: true })).text())
    expect(textOf(events)).toBe(reply.choices[0].message.content)
    expect(events.at(-1)).toBe('[DONE]')
  })

  test('max_tokens, stop and include_usage are honoured', async () => {
    const short = await json(ask({ max_tokens: 3 }))
    expect(short.choices[0].finish_reason).toBe('length')
    expect(short.usage.completion_tokens).toBe(3)
    expect((await json(ask({ stop: 'more' }))).choices[0].message.content).toBe('You wrote: "Tell me ')
    const events = eventsOf(
      await (await ask({ stream: true, max_completion_tokens: 3, stream_options: { include_usage: true } })).text(),
    )
    expect(JSON.parse(events.at(-2) ?? '')).toMatchObject({ choices: [], usage: short.usage })
  })

  test('models are listed', async () => {
    const list = await json<{ data: { id: string }[] }>(fetch(`${node.url}/v1/models`))
    expect(list.data.map(({ id }) => id)).toEqual(['small', 'other'])
  })

  test.each([
    [404, { model: 'large' }],
    [400, { messages: [] }],
    [400, { messages: [{ role: 'user', content: 3 }] }],
    [400, { max_tokens: 0 }],
    [400, { stream: 'yes' }],
    [400, { stop: [1] }],
    [200, { messages: [{ role: 'developer' }, { role: 'user', content: [{ type: 'text', text: 'Hi' }, {}] }] }],
    [200, { stop: ['', 'a'], temperature: 9, max_tokens: 1e15 }],
  ])('%i is the answer to %j', async (status, change) => {
    const response = await ask(change)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(Object.keys(await json<object>(response))).toContain(status === 200 ? 'choices' : 'error')
  })

  test.each([
    [404, 'GET', '/nowhere', undefined],
    [405, 'GET', '/v1/chat/completions', undefined],
    [405, 'POST', '/v1/models', ''],
    [400, 'POST', '/v1/chat/completions', '{"model"'],
    [400, 'POST', '/v1/chat/completions', 'null'],
    [413, 'POST', '/v1/chat/completions', 'a'.repeat(33 * 1024 * 1024)],
  ])('%i is the answer to %s %s', async (status, method, path, body) => {
    const response = await fetch(node.url + path, { method, ...(body !== undefined && { body }) })
    expect([response.status, Object.keys(await json<object>(response))]).toEqual([status, ['error']])
  })

  test('any body is answered, with a reply or an error in JSON', async () => {
    const odd = fc.record(
      {
        model: fc.oneof(fc.constant('small'), fc.jsonValue()),
        messages: fc.oneof(fc.array(fc.record({ role: fc.constant('user'), content: fc.jsonValue() })), fc.jsonValue()),
        stop: fc.jsonValue(),
        max_tokens: fc.jsonValue(),
        stream: fc.jsonValue(),
      },
      { requiredKeys: ['model', 'messages'] },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          odd.map((value) => JSON.stringify(value)),
          fc.json(),
          fc.string(),
        ),
        async (body) => {
          const response = await fetch(chatUrl, { method: 'POST', body })
          expect([200, 400, 404]).toContain(response.status)
          const text = await response.text()
          if (response.status !== 200) expect(Object.keys(JSON.parse(text))).toEqual(['error'])
        },
      ),
    )
  })

  test('bytes that are not HTTP are answered with 400', async () => {
    expect(await heard(node, 'What?\r\n\r\n')).toMatchObject({ head: expect.stringMatching(/^HTTP\/1\.1 400 /) })
  })

  test('a key is wanted where there is one', async () => {
    const keyed = await startNode({ models: ['small'], nodeKey: 'secret-of-the-node' })
    const refused = await ask({}, `${keyed.url}/v1/chat/completions`)
    expect([refused.status, (await refused.text()).includes('secret')]).toEqual([401, false])
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const headers = { authorization: `${scheme} secret-of-the-node` }
      expect((await fetch(`${keyed.url}/v1/models`, { headers })).status).toBe(200)
    }
    const headers = { authorization: 'Bearer another' }
    expect((await fetch(`${keyed.url}/v1/models`, { headers })).status).toBe(401)
    expect((await fetch(`${keyed.url}/health`)).status).toBe(200)
    await keyed.setState('503')
    expect((await fetch(`${keyed.url}/health`)).status).toBe(503)
    await keyed.close()
  })
})

describe('a script', () => {
  test('decides text, usage, ids and further fields of a JSON reply', async () => {
    const script: Script = {
      fragments: ['a', 'a', ' \ud83d', '\ude00'],
      finishReason: 'content_filter',
      usage: { total_tokens: -1 },
      model: 'another',
      id: 'one-id',
      extra: { reply: { seen: 1 }, choice: { logprobs: null }, delta: { refusal: null } },
    }
    expect(await json(scripted(script))).toEqual({
      id: 'one-id',
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'another',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'aa 😀', refusal: null },
          finish_reason: 'content_filter',
          logprobs: null,
        },
      ],
      usage: { total_tokens: -1 },
      seen: 1,
    })
  })

  test.each([
    ['own-chunk', [false, false, false, true]],
    ['last-chunk', [false, false, true]],
    ['every-chunk', [true, true, true]],
    ['never', [false, false, false]],
  ] as const)('puts usage in %s', async (usageWhere, expected) => {
    const events = eventsOf(await (await scripted({ text: 'two words', usageWhere }, { stream: true })).text())
    expect(events.slice(0, -1).map((data) => 'usage' in JSON.parse(data))).toEqual(expected)
  })

  test.each([
    [201, { status: 201 }, 'application/json', /chat\.completion/],
    [418, { status: 418 }, 'application/json', /told to answer 418/],
    [
      500,
      { status: 500, headers: { 'Content-Type': 'text/html' }, body: '<h1>No</h1>' },
      'text/html',
      /^<h1>No<\/h1>$/,
    ],
    [200, { body: { nothing: true } }, 'application/json', /^{"nothing":true}$/],
  ])('answers %i', async (status, script, type, text) => {
    const response = await scripted(script)
    expect([response.status, response.headers.get('content-type')]).toEqual([status, type])
    expect(await response.text()).toMatch(text)
  })

  test('fails once and then answers', async () => {
    const script = { status: 503, times: 1, next: { text: 'Good.', times: 1 } }
    node.script('twice', script)
    const messages = [{ role: 'user', content: 'assay-script-twice' }]
    expect((await ask({ messages })).status).toBe(503)
    expect((await json(ask({ messages }))).choices[0].message.content).toBe('Good.')
    expect((await json(ask({ messages }))).choices[0].message.content).toMatch(/^You wrote/)
    expect(node.records('twice').map(({ scripted: isScripted }) => isScripted)).toEqual([true, true, false])
  })

  test('puts cuts, line ends and comments on the wire', async () => {
    node.script('wire', {
      fragments: ['é', '世界'],
      wire: { cuts: 'bytes', lineEnd: '\r\n', comments: { text: 'hm', every: 2 }, spaceAfterColon: false, done: false },
    })
    const { head, body } = await heard(node, chatRequest('assay-script-wire', { stream: true }))
    expect(head).toMatch(/content-type: text\/event-stream/)
    const pieces = [...body.matchAll(/1\r\n[\s\S]\r\n/gu)]
    expect(pieces.length).toBeGreaterThan(100)
    expect(body.startsWith('1\r\nd\r\n1\r\na\r\n1\r\nt\r\n1\r\na\r\n1\r\n:\r\n1\r\n{\r\n')).toBe(true)
    const wire = await (await ask({ messages: [{ role: 'user', content: 'assay-script-wire' }], stream: true })).text()
    expect(wire.match(/\r\n\r\n/g)).toHaveLength(4)
    expect(wire).toMatch(/世界[\s\S]*\r\n\r\n: hm\r\n\r\ndata:/)
    expect(wire).not.toContain('[DONE]')
  })

  test('escapes letters in both modes where the wire is to be ASCII', async () => {
    const script = { fragments: ['é', '👋'], wire: { ascii: true } }
    expect(await (await scripted(script)).text()).toContain('"content":"\\u00e9\\ud83d\\udc4b"')
    node.script('ascii', script)
    const streamed = ask({ messages: [{ role: 'user', content: 'assay-script-ascii' }], stream: true })
    expect(await (await streamed).text()).toMatch(/"content":"\\u00e9"[\s\S]*"content":"\\ud83d\\udc4b"/)
  })

  test('keeps the bytes of a raw stream', async () => {
    const body = 'event: x\rdata: 1\n\n\ufeffdata: 2'
    const response = await scripted({ headers: { 'content-type': 'text/event-stream' }, body, wire: { cuts: [3, 9] } })
    const hash = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex')
    expect(hash(await response.bytes())).toBe(hash(body))
  })
})

describe('the record of a request', () => {
  test('shows what was seen and sent', async () => {
    const headers = { 'X-Trace': 'a b', authorization: 'Bearer of-the-caller' }
    const body = '{"model":"small", "messages":[{"role":"user","content":"assay-script-gone"}], "temperature":0.30}'
    const text = await (await fetch(`${chatUrl}?a=1`, { method: 'POST', headers, body })).text()
    const record = await lastRecord(node, ({ outcome }) => outcome === 'complete')
    expect(record).toMatchObject({ method: 'POST', path: '/v1/chat/completions?a=1', body, status: 200 })
    expect(record.headers).toMatchObject({ 'x-trace': 'a b', authorization: 'Bearer of-the-caller' })
    expect(record).toMatchObject({ scriptId: 'gone', scripted: false, chunksWritten: 1 })
    expect(record.bytesWritten).toBe(Buffer.byteLength(text))
    expect(record.endedAtMs).toBeGreaterThanOrEqual(record.arrivedAtMs)
    expect(Math.abs(record.arrivedAtMs - Date.now())).toBeLessThan(60_000)
  })

  test.each([true, false])('shows that the other side left, stream %s', async (stream) => {
    node.script('slow', { fragments: ['a', 'b'], timing: { firstToken: 0, gap: 3_600_000 } })
    const socket = opened(node, chatRequest('assay-script-slow', { stream }))
    if (stream) await brings(socket, '"a"')
    else await lastRecord(node, ({ scripted: isScripted }) => isScripted)
    socket.destroy()
    const record = await lastRecord(node, ({ outcome }) => outcome !== 'under-way')
    expect(record).toMatchObject({ outcome: 'closed-by-peer', chunksWritten: stream ? 1 : 0 })
    expect(record.closedByPeerAtMs).toBeGreaterThanOrEqual(record.arrivedAtMs)
  })
})

describe('a state', () => {
  test('of refusal cuts nothing that is under way', async () => {
    node.script('long', { fragments: ['a', 'b'], fault: { kind: 'hang-mid-stream' } })
    const socket = opened(node, chatRequest('assay-script-long', { stream: true }))
    await brings(socket, '"a"')
    await node.setState('refuse')
    expect(await heard(node, chatRequest('Hello'))).toEqual({ head: '', body: '', ended: 'reset' })
    expect(node.records().at(-1)).toMatchObject({ outcome: 'under-way' })
    await node.setState('503')
    expect((await ask()).status).toBe(503)
    await node.setState('up')
    expect((await ask()).status).toBe(200)
    socket.destroy()
  })

  test('that takes the node down spares no kept connection', async () => {
    const other = await startNode({ models: ['small'] })
    other.script('held', { fragments: ['a'], timing: { firstToken: 0, gap: 0 }, fault: { kind: 'hang-mid-stream' } })
    const keeping = chatRequest('Hello').replace('connection: close\r\n', '')
    const socket = opened(other, keeping)
    await brings(socket, '"usage"')
    const closed = new Promise((resolve) => socket.on('close', resolve))
    await other.setState('refuse')
    await closed
    await other.close()
  })
})
