import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { configFor } from '../../../suites/0-self/config.ts'
import { HarnessError } from '../../harness-error.ts'
import type { TargetConfig } from '../config.ts'
import { prepare } from '../prepare.ts'
import { createTarget } from '../target.ts'
import { findApi } from './find-api.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

interface Standing {
  readonly baseUrl: string
  /** What was asked, as `METHOD path`. */
  readonly asked: string[]
}

async function serve(listener: RequestListener): Promise<Standing> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    listener(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

interface Reply {
  readonly status: number
  readonly json?: unknown
  readonly html?: string
}

/** Answers by `METHOD path`, and with `rest` where no entry is. */
function routes(table: Readonly<Record<string, Reply>>, rest: Reply): RequestListener {
  return (request, response) => {
    const { status, json, html } = table[`${request.method} ${request.url}`] ?? rest
    response.writeHead(status, { 'content-type': html === undefined ? 'application/json' : 'text/html' })
    response.end(html ?? JSON.stringify(json ?? { error: { message: 'not here' } }))
  }
}

const list: Reply = { status: 200, json: { object: 'list', data: [{ id: 'small' }] } }
const missing: Reply = { status: 404 }
const page: Reply = { status: 200, html: '<h1>A page</h1>' }

test('a search for which the time is too short ends in an error that says so', async () => {
  const { baseUrl } = await serve(() => {})
  const search = findApi(configFor(baseUrl, { durationMsMax: 1, timeoutMs: 1 }))
  await expect(search).rejects.toMatchObject({ name: 'HarnessError', code: 'budget' })
})

describe('the API is found', () => {
  test.each(['/api/v1', '/v1', '/openai/v1', '/openai', '/api', ''])('at %s, with GET only', async (path) => {
    for (const rest of [missing, page]) {
      const { baseUrl, asked } = await serve(routes({ [`GET ${path}/models`]: list }, rest))
      expect(await findApi(configFor(baseUrl))).toBe(path)
      expect(asked.every((one) => one.startsWith('GET '))).toBe(true)
    }
  })

  test('where the address ends, before the likely places', async () => {
    const both = { 'GET /v1/models': list, 'GET /api/v1/models': list }
    const { baseUrl, asked } = await serve(routes(both, missing))
    expect(await findApi(configFor(baseUrl, { apiPath: '/v1' }))).toBe('/v1')
    expect(asked).toEqual(['GET /v1/models'])
  })

  test.each([401, 402, 403, 429, 503])('where a list is answered with %i and all else with 404', async (status) => {
    const { baseUrl } = await serve(routes({ 'GET /v1/models': { status } }, missing))
    expect(await findApi(configFor(baseUrl))).toBe('/v1')
  })

  test('at the place of the contract when every path asks for a key', async () => {
    const { baseUrl } = await serve(routes({}, { status: 401 }))
    expect(await findApi(configFor(baseUrl))).toBe('/api/v1')
  })

  test('without a list, where the chat route refuses a GET', async () => {
    const { baseUrl, asked } = await serve(routes({ 'GET /v1/chat/completions': { status: 405 } }, missing))
    expect(await findApi(configFor(baseUrl))).toBe('/v1')
    expect(asked.every((one) => one.startsWith('GET '))).toBe(true)
  })
})

test('the chat route of a server that has no list, and says 404 to a GET of it, is found by what it says to no message', async () => {
  for (const status of [400, 200]) {
    const json = { choices: [{ index: 0, message: { content: 'Sorry?' } }] }
    const { baseUrl } = await serve(routes({ 'POST /v1/chat/completions': { status, json } }, missing))
    expect(await findApi(configFor(baseUrl))).toBe('/v1')
  }
})

test('a server that refuses every POST alike has no chat route', async () => {
  const { baseUrl } = await serve((request, response) => {
    response.writeHead(request.method === 'POST' ? 403 : 404, { 'content-type': 'application/json' })
    response.end('{"error":"not here"}')
  })
  await expect(findApi(configFor(baseUrl))).rejects.toThrow('answers like an inference gateway')
})

test.each([
  [
    missing,
    'status 404 (application/json) for GET /api/v1/models, /v1/models, /openai/v1/models, /openai/models, /api/models, /models',
  ],
  [page, 'status 200 (a web page) for GET /api/v1/models'],
  [{ status: 200, json: { status: 'ok' } }, 'status 200 (application/json) for GET /api/v1/models'],
])('nothing is found where everything is answered with %j', async (rest, words) => {
  const { baseUrl } = await serve(routes({}, rest))
  await expect(findApi(configFor(baseUrl))).rejects.toThrow(
    `Nothing at ${baseUrl} answers like an inference gateway: ${words}`,
  )
})

describe('the first contact refuses to judge, with exit code 3', () => {
  async function refusal(listener: RequestListener, own: Partial<TargetConfig> = {}): Promise<HarnessError> {
    const { baseUrl } = await serve(listener)
    const target = createTarget(configFor(baseUrl, { keys: { main: 'sk-of-a-test' }, ...own }))
    try {
      await prepare(target)
    } catch (error) {
      if (error instanceof HarnessError) return error
      throw error
    } finally {
      await target.close()
    }
    throw new Error('it was prepared to judge')
  }
  const chat = 'POST /api/v1/chat/completions'
  const open = { 'GET /api/v1/models': list }

  test.each([
    [402, 'no-funds', 'asks for payment before a plain request: status 402'],
    [403, 'key-refused', 'status 403'],
    [429, 'limited', 'refuses every plain request for a limit, asked several times: status 429'],
  ])('a %i for every plain request', async (status, code, words) => {
    const error = await refusal(routes({ ...open, [chat]: { status } }, missing))
    expect(error).toMatchObject({ code, exitCode: 3 })
    expect(error.message).toContain(words)
    expect(error.message).not.toContain('sk-of-a-test')
  })

  test('a key, in the words of the server and without the key in them', async () => {
    const json = { error: { message: 'sk-of-a-test is no key.' } }
    const { message } = await refusal(routes({}, { status: 401, json }))
    expect(message).toMatch(
      /refuses the given key with status 401: "\[redacted\] is no key"\.\nCheck the key \(ASSAY_API_KEY/,
    )
  })

  test('an Authorization that came as a header by that name', async () => {
    for (const status of [401, 403]) {
      const own = { keys: {}, headers: [['authorization', 'Basic of-a-test']] as const }
      const { code, message } = await refusal(routes({}, { status }), own)
      expect(code).toBe('key-refused')
      expect(message).toMatch(/refuses the Authorization of --header with status .*\nCheck the value of that header/)
      expect(message).not.toMatch(/ASSAY_API_KEY|of-a-test/)
    }
  })

  test('a 401 for every plain request, where there is no list to tell whether the key is good', async () => {
    const error = await refusal(routes({ [chat]: { status: 401, json: { detail: 'Not authenticated' } } }, missing))
    expect(error).toMatchObject({ code: 'key-refused', exitCode: 3 })
  })

  test.each([500, 502, 503])('a server that answers everything with %i, in its own words', async (status) => {
    const words = `GET \\S+/api/v1/models answered ${status}: "The books are gone"; a plain chat was answered with status ${status}\\.`
    for (const own of [{}, { model: 'small' }]) {
      const error = await refusal(routes({}, { status, json: { error: 'The books are gone.' } }), own)
      expect(error).toMatchObject({ code: 'server-fails', exitCode: 3 })
      expect(error.message).toMatch(new RegExp(`^The server itself fails: ${words}\nLook into the log`))
    }
    const paged = await refusal(routes({}, { status, html: '<h1>Oops</h1>' }))
    expect(paged.message).toContain(`answered ${status} (a web page)`)
  })

  test('an API path that is wrong, and names the one that is right', async () => {
    const error = await refusal(routes({ 'GET /v1/models': list }, missing))
    expect(error).toMatchObject({ code: 'not-a-gateway', exitCode: 3 })
    expect(error.message).toMatch(/Nothing at \S+\/api\/v1, but \S+\/v1 lists models: pass --api-path \/v1\.$/m)
  })

  test('404 on list and chat, whatever the body', async () => {
    expect(await refusal(routes({}, missing))).toMatchObject({ code: 'not-a-gateway', exitCode: 3 })
  })

  test('a model that is neither listed nor served, and says which are listed', async () => {
    const error = await refusal(routes(open, missing), { model: 'smal' })
    expect(error).toMatchObject({ code: 'model-unknown', exitCode: 3 })
    expect(error.message).toContain(
      'does not list the model smal, and answers it with status 404; it lists small. Did you mean "small"?',
    )
  })
})

describe('what can be judged is not refused', () => {
  const completion: Reply = { status: 200, json: { choices: [{ index: 0, message: { content: 'Hello' } }] } }
  const prepared = async (listener: RequestListener, own: Partial<TargetConfig> = {}) => {
    const { baseUrl } = await serve(listener)
    const target = createTarget(configFor(baseUrl, own))
    return prepare(target).finally(() => target.close())
  }

  test('a model that is served and not listed', async () => {
    const table = { 'GET /api/v1/models': list, 'POST /api/v1/chat/completions': completion }
    expect(await prepared(routes(table, missing), { model: 'other' })).toMatchObject({ model: 'other' })
  })

  test('a server whose list fails, and nothing else', async () => {
    const failing = { 'GET /api/v1/models': { status: 500 } }
    const unknown: Reply = { status: 404, json: { error: { message: 'There is no such model.' } } }
    for (const chat of [completion, unknown]) {
      const table = { ...failing, 'POST /api/v1/chat/completions': chat }
      expect(await prepared(routes(table, missing))).toMatchObject({ roster: [] })
    }
  })

  test('a server whose chats fail, and nothing else', async () => {
    const table = { 'GET /api/v1/models': list, 'POST /api/v1/chat/completions': { status: 500 } }
    expect(await prepared(routes(table, missing))).toMatchObject({ works: { json: false, stream: false } })
  })

  test('a server without a list that answers any model, by the name that it was tried with', async () => {
    expect(await prepared(routes({ 'POST /api/v1/chat/completions': completion }, missing))).toMatchObject({
      roster: [],
      model: 'assay-preflight',
    })
  })

  test('a gateway with an empty list that serves only the model of our nodes, by that name', async () => {
    const nodes = { model: 'small', controlUrls: [] }
    const onlySmall: RequestListener = (request, response) => {
      let text = ''
      request.on('data', (bytes) => {
        text += bytes
      })
      request.on('end', () => {
        const isServed = text.includes('"model":"small"')
        response.writeHead(isServed ? 200 : 404, { 'content-type': 'application/json' })
        response.end(JSON.stringify(isServed ? completion.json : { error: { message: 'There is no such model.' } }))
      })
    }
    const listener: RequestListener = (request, response) =>
      request.method === 'POST'
        ? onlySmall(request, response)
        : response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[]}')
    expect(await prepared(listener, { nodes })).toMatchObject({ roster: [], model: 'small' })
  })

  test('a gateway without a list whose chat route does not know the model that it was tried with', async () => {
    const unknown: Reply = { status: 404, json: { error: { message: 'There is no such model.' } } }
    const { roster } = await prepared(routes({ 'POST /api/v1/chat/completions': unknown }, missing))
    expect(roster).toEqual([])
  })

  test('a gateway without a list whose chat route says 404 and refuses a GET', async () => {
    const { roster } = await prepared(routes({ 'GET /api/v1/chat/completions': { status: 405 } }, missing))
    expect(roster).toEqual([])
  })
})
