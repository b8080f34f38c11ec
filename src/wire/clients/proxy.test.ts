import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { isListening, proxyOf } from './proxy.ts'

const proxy = 'http://user:word@proxy.example:3128'
const address = 'http://proxy.example:3128'

test.each([
  ['https://h.example', { HTTPS_PROXY: proxy }, 'HTTPS_PROXY'],
  ['https://h.example', { HTTPS_PROXY: 'http://other', https_proxy: proxy }, 'https_proxy'],
  ['https://h.example', { HTTP_PROXY: proxy }, 'HTTP_PROXY'],
  ['http://h.example', { HTTP_PROXY: proxy, NO_PROXY: 'other.example, example' }, undefined],
  ['http://h.example', { HTTP_PROXY: proxy, NO_PROXY: 'other.example' }, 'HTTP_PROXY'],
  ['http://h.example', { HTTP_PROXY: proxy, NO_PROXY: '*.h.example' }, 'HTTP_PROXY'],
  ['http://h.example', { HTTP_PROXY: proxy, NO_PROXY: '.h.example' }, undefined],
  ['http://h.example:81', { HTTP_PROXY: proxy, NO_PROXY: 'h.example:80' }, 'HTTP_PROXY'],
  ['http://h.example', { HTTP_PROXY: proxy, NO_PROXY: 'h.example:80' }, undefined],
  ['http://h.example', { HTTP_PROXY: proxy, no_proxy: '*' }, undefined],
  ['http://[2001:db8::1]', { HTTP_PROXY: proxy, NO_PROXY: '2001:db8::1' }, undefined],
  ['http://h.example', { HTTPS_PROXY: proxy }, undefined],
  ['http://127.0.0.1', { HTTP_PROXY: proxy }, undefined],
  ['http://h.example', { HTTP_PROXY: 'nowhere' }, undefined],
])('the proxy for %s with %j is that of %s, without its password', (url, env, variable) => {
  expect(proxyOf(new URL(url), env)).toEqual(variable === undefined ? undefined : { variable, address })
})

test('a proxy listens until it is closed', async () => {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('it has no port')
  const here = { variable: 'HTTP_PROXY', address: `http://127.0.0.1:${bound.port}` }
  expect(await isListening(here, 3000)).toBe(true)
  await new Promise((closed) => server.close(closed))
  expect(await isListening(here, 3000)).toBe(false)
})
