import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import autocannon from 'autocannon'
import { type RunningGateway, startGateway } from '../../reference-server/main.ts'

/**
 * What ten open dashboards cost the API: charged JSON requests a second on the embedded store, with and without them, in
 * interleaved pairs. Five watch the network live; five belong to owners who load a page every second.
 */
const pairs = 9
const durationS = 2
const connections = 64
const operatorPassword = 'a password of the operator'
const question = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 16 })
const pages = ['', 'keys', 'usage', 'ledger', 'models']

export async function measureOpenDashboards(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const store = `sqlite:${join(folder, 'books.sqlite')}`
  const gateway = await startGateway({ demo: true, store, dashboard: { operatorPassword } })
  const browsers = new Worker(new URL(import.meta.url), { workerData: { dashboard: gateway.dashboard?.url } })
  const told = async (): Promise<unknown> => (await once(browsers, 'message'))[0]
  await told()
  await requestsPerS(gateway)
  const ratios: number[] = []
  for (let pair = 1; pair <= pairs; pair += 1) {
    const unwatched = await requestsPerS(gateway)
    browsers.postMessage('open')
    const watched = await requestsPerS(gateway)
    browsers.postMessage('close')
    const loaded = await told()
    ratios.push(watched / unwatched)
    console.log(
      `pair ${pair}: ${unwatched.toFixed(0)} requests/s without, ${watched.toFixed(0)} with ten dashboards, which loaded ${loaded} pages and states`,
    )
  }
  await browsers.terminate()
  console.log(
    `with ten dashboards against without: ${median(ratios).toFixed(3)} (goal ≥ 0.95), median of ${pairs} pairs`,
  )
  await gateway.close()
  rmSync(folder, { recursive: true, force: true })
}

async function requestsPerS({ baseUrl, demo }: RunningGateway): Promise<number> {
  const result = await autocannon({
    url: `${baseUrl}/api/v1/chat/completions`,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${demo?.apiKey ?? ''}` },
    body: question,
    connections,
    duration: durationS,
    workers: 1,
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error('requests failed, so the pair is not valid')
  return result.requests.average
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Ten headless browsers: cookies, forms with their tokens, pages and the live stream. */
async function browse(dashboard: string): Promise<void> {
  const cookies = await Promise.all(Array.from({ length: 10 }, (_, at) => signIn(dashboard, at)))
  let loaded = 0
  let closing = new AbortController()

  async function watch(cookie: string): Promise<void> {
    const { body } = await fetch(`${dashboard}operator/events`, { headers: { cookie }, signal: closing.signal })
    if (body !== null) for await (const _ of body) loaded += 1
  }
  async function turnPages(cookie: string, signal: AbortSignal): Promise<void> {
    for (let turn = 0; !signal.aborted; turn += 1) {
      await (await fetch(dashboard + (pages[turn % pages.length] ?? ''), { headers: { cookie } })).text()
      loaded += 1
      await sleep(1000)
    }
  }
  parentPort?.on('message', (order: 'open' | 'close') => {
    if (order === 'close') {
      closing.abort()
      parentPort?.postMessage(loaded)
      return
    }
    loaded = 0
    closing = new AbortController()
    for (const [at, cookie] of cookies.entries()) {
      if (at < 5) watch(cookie).catch(() => undefined)
      else void turnPages(cookie, closing.signal)
    }
  })
  parentPort?.postMessage('ready')
}

async function signIn(dashboard: string, at: number): Promise<string> {
  const [path, fields] =
    at < 5
      ? ['operator/sign-in', { password: operatorPassword }]
      : ['sign-up', { email: `${at}-${process.hrtime.bigint()}@example.org`, password: 'a password of twelve' }]
  const form = await fetch(dashboard + path)
  const [token = ''] = /(?<=name="_csrf" value=")[^"]*/.exec(await form.text()) ?? []
  const answer = await fetch(dashboard + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookieOf(form), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...fields, _csrf: token }).toString(),
  })
  if (answer.status !== 303) throw new Error(`signing in answered ${answer.status}`)
  return cookieOf(answer)
}

function cookieOf({ headers }: Response): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

const given: unknown = workerData
if (!isMainThread && typeof given === 'object' && given !== null && 'dashboard' in given)
  await browse(String(given.dashboard))
