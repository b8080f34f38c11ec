import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { parseJson, textAt } from '../../../src/json.ts'

/** Stands before a control API and keeps the books of what was opened through it. */
export interface RecordingControl {
  readonly url: string
  /** Accounts that were opened and not closed. */
  readonly accounts: ReadonlySet<string>
  /** Models whose nodes were taken down and not brought up. */
  readonly models: ReadonlySet<string>
  /** Every key that was created. */
  readonly keys: readonly string[]
  readonly calls: number
  close(): void
}

/**
 * `onCall` is told of each call, counted from 1, before it is passed on; a call for which it returns `never` is not
 * answered at all.
 */
export async function recordControl(
  upstream: string,
  onCall: (call: number, request: IncomingMessage) => 'never' | undefined,
): Promise<RecordingControl> {
  const [accounts, models, keys] = [new Set<string>(), new Set<string>(), [] as string[]]
  let calls = 0

  function note(method: string, path: string, sent: string, said: string): void {
    const [, accountId = ''] = /\/accounts\/([^/]+)$/.exec(path) ?? []
    const [, modelId = ''] = /\/models\/([^/]+)\/nodes$/.exec(path) ?? []
    const [id, key] = [textAt(parseJson(said), 'id') ?? '', textAt(parseJson(said), 'key')]
    if (method === 'POST' && path.endsWith('/accounts')) accounts.add(id)
    else if (method === 'DELETE' && accountId !== '') accounts.delete(accountId)
    else if (method === 'PUT' && modelId !== '')
      models[textAt(parseJson(sent), 'state') === 'up' ? 'delete' : 'add'](decodeURIComponent(modelId))
    if (key !== undefined) keys.push(key)
  }

  const server = createServer(async (request, response) => {
    calls += 1
    if (onCall(calls, request) === 'never') return
    const { method = 'GET', url: path = '/' } = request
    const sent = await text(request)
    const answer = await fetch(upstream + path, {
      method,
      headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
      ...(sent !== '' && { body: sent }),
    })
    const said = await answer.text()
    if (answer.ok) note(method, path, sent, said)
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(said)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accounts,
    models,
    keys,
    get calls() {
      return calls
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
