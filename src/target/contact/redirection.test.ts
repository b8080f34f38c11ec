import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { configFor } from '../../../suites/0-self/config.ts'
import { prepare } from '../prepare.ts'
import { createTarget } from '../target.ts'
import { findApi } from './find-api.ts'

const closing: Server[] = []
afterEach(() => {
  for (const server of closing.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** The address of a server that redirects each path there. */
async function redirecting(place: (path: string) => string): Promise<string> {
  const server = createServer((request, response) =>
    response.writeHead(302, { location: place(request.url ?? '') }).end(),
  )
  closing.push(server)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** What the search says, and the first contact where the path is decided. */
async function refusals(baseUrl: string): Promise<readonly string[]> {
  const target = createTarget(configFor(baseUrl))
  const tries = [findApi(configFor(baseUrl)), prepare(target).finally(() => target.close())]
  return (await Promise.allSettled(tries)).map((one) => (one.status === 'rejected' ? one.reason.message : 'found'))
}

test.each([
  ['http://other.example', (path: string) => `http://other.example${path}`],
  ['https://other.example:8443/gateway', (path: string) => `https://other.example:8443/gateway${path}/?from=here`],
])('a server that sends everything to %s is told once, with what to pass', async (base, place) => {
  const baseUrl = await redirecting(place)
  const said = `${baseUrl} redirects to ${base}.\nPass ${base} as --base-url.`
  expect(await refusals(baseUrl)).toEqual([said, said])
})

test('a page of another server is told once, and not advised', async () => {
  const baseUrl = await redirecting(() => 'https://login.example/sign-in')
  for (const said of await refusals(baseUrl))
    expect(said).toMatch(/ redirects every path that was tried to https:\/\/login\.example\.\nCheck --base-url/)
})

test('a page of the same server, and several places, are told as they are', async () => {
  const [own = ''] = await refusals(await redirecting(() => '/login'))
  expect(own).toContain('status 302 (to /login) for GET /api/v1/models, /v1/models')
  const [several = ''] = await refusals(await redirecting((path) => `http://h${path.length}.example${path}`))
  expect(several).toMatch(
    /: status 302 \(to http:\/\/h14\.example\/api\/v1\/models\) for GET \/api\/v1\/models; status/,
  )
})
