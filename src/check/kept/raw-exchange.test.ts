import { expect, test } from 'vitest'
import { curlOf } from '../../wire/curl.ts'
import { createRedactor } from '../../wire/redact.ts'
import { plainExchange } from './raw-exchange.ts'

const redactor = createRedactor([])
const url = 'http://127.0.0.1:8080'
const answer = Buffer.from('HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nNo')
const conversation = { arrivals: [{ bytes: answer, atMs: 3 }], ending: 'left' } as const
const spoken = (...steps: Parameters<typeof plainExchange>[1]) => plainExchange(url, steps, conversation, 0)

const head = (version: string, ...lines: string[]) =>
  [`POST /v1/chat/completions HTTP/${version}`, 'Host: here', ...lines, '', ''].join('\r\n')

test('a request on a socket of its own is shown as what a client would send', () => {
  const exchange = spoken(head('1.1', 'Upgrade: h2c', 'Content-Length: 2'), '{}')
  expect(exchange).toMatchObject({
    request: { method: 'POST', url: `${url}/v1/chat/completions`, body: '{}' },
    head: { status: 400, atMs: 3 },
  })
  const line = exchange && curlOf(exchange.request, redactor)
  expect(line).toContain("-H 'Upgrade: h2c'")
  expect(line).not.toMatch(/Host|http1\.0/)
})

test('a request of HTTP/1.0 is shown as one', () => {
  const exchange = spoken(head('1.0', 'Content-Length: 2'), '{}')
  expect(exchange && curlOf(exchange.request, redactor)).toMatch(/^curl -sS -N -i --http1\.0 -X POST /)
})

test.each([
  ['with a body of another length', [head('1.1', 'Content-Length: 3'), '{}']],
  ['with two lengths', [head('1.1', 'Content-Length: 2', 'Content-Length: 2'), '{}']],
  ['in chunks', [head('1.1', 'Transfer-Encoding: chunked'), '2\r\n{}\r\n0\r\n\r\n']],
  ['with a header of no name', [head('1.1', ': x')]],
  ['with a pause in it', [head('1.1', 'Content-Length: 2'), { pauseMs: 1 }, '{}']],
  ['that is none', ['What?\r\n\r\n']],
])('a request %s has no line that would send it again', (_, steps) => {
  expect(spoken(...steps)).toBeUndefined()
})

test('a request that nobody answered is no exchange', () => {
  expect(plainExchange(url, [head('1.1')], { arrivals: [], ending: 'closed' }, 0)).toBeUndefined()
})

test('a request whose client left before an answer is shown with how long it waited', () => {
  const steps = [`${head('1.1', 'Content-Length: 2')}{}`, { pauseMs: 600 }, { leave: true }] as const
  const exchange = plainExchange(url, steps, { arrivals: [], ending: 'left' }, 0)
  expect(exchange).toMatchObject({ request: { body: '{}' }, ending: 'left', endedAtMs: 600 })
  expect(exchange?.head).toBeUndefined()
  expect(exchange && curlOf(exchange.request, redactor)).toMatch(/^curl -sS -N -i -m 0\.6 -X POST /)
  const slow = [steps[0], { stopReading: true }, ...steps.slice(1)] as const
  expect(plainExchange(url, slow, { arrivals: [], ending: 'left' }, 0)).toBeUndefined()
})
