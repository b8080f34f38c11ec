import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createWire } from './client.ts'
import { bodyBytes, headerOf, mediaType } from './transcript.ts'
import type { SendOptions } from './wire.ts'

let server: Server | undefined
let wire = createWire({ insecure: false })
const limits: SendOptions = { silenceMsMax: 300, durationMsMax: 2000 }

afterEach(async () => {
  await wire.close()
  wire = createWire({ insecure: false })
  server?.closeAllConnections()
  server?.close()
})

async function serve(listener: RequestListener): Promise<void> {
  server = createServer(listener)
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening))
}

function portOf(one: Server | undefined): number {
  if (one === undefined) throw new Error('no server runs')
  return (one.address() as AddressInfo).port
}

function send(options: Partial<SendOptions> = {}) {
  const url = `http://127.0.0.1:${portOf(server)}/x?y=1`
  return wire.send({ method: 'GET', url, headers: [['X-One', '1']] }, { ...limits, ...options })
}

async function get(listener: RequestListener, options: Partial<SendOptions> = {}) {
  await serve(listener)
  return send(options)
}

describe('the recording client', () => {
  test('keeps every byte, its time, and the headers as they came', async () => {
    const exchange = await get((_, response) => {
      response.writeHead(201, { 'Content-Type': 'Text/Event-Stream; charset=utf-8', 'X-Twice': ['a', 'b'] })
      response.write(Buffer.from([0xe2]))
      setTimeout(() => response.end(Buffer.from([0x82, 0xac])), 40)
    })
    expect(exchange).toMatchObject({ ending: 'complete', head: { status: 201 } })
    expect(bodyBytes(exchange).toString()).toBe('€')
    const [first, second] = exchange.arrivals.map(({ atMs }) => atMs)
    expect(exchange.arrivals.length).toBe(2)
    expect(second).toBeGreaterThan(first ?? Number.NaN)
    expect(mediaType(exchange)).toBe('text/event-stream')
    expect(headerOf(exchange, 'x-twice')).toBe('a')
  })

  test('has as many exchanges at once as it is asked for', async () => {
    const open: ServerResponse[] = []
    await serve((_, response) => {
      open.push(response)
      if (open.length === 100) for (const one of open) one.end('all here')
    })
    const endings = (await Promise.all(Array.from({ length: 100 }, () => send()))).map(({ ending }) => ending)
    expect(new Set(endings)).toEqual(new Set(['complete']))
  })

  test('tells how an exchange ended', async () => {
    expect((await get((request) => request.socket.destroy())).ending).toBe('reset')
    expect((await get(() => {})).ending).toBe('timeout')
    const cut = await get((_, response) => {
      response.writeHead(200)
      response.write('part')
      setTimeout(() => response.socket?.destroy(), 20)
    })
    expect([cut.ending, bodyBytes(cut).toString()]).toEqual(['reset', 'part'])
    const gone = await wire.send({ method: 'GET', url: 'http://127.0.0.1:1/', headers: [] }, limits)
    expect([gone.ending, gone.head]).toEqual(['unreachable', undefined])
  })

  test('leaves when it has had enough, and bounds what never ends', async () => {
    const endless: RequestListener = (_, response) => {
      const timer = setInterval(() => response.write('x'), 10)
      response.on('close', () => clearInterval(timer))
    }
    expect((await get(endless, { onBytes: () => 'leave' })).ending).toBe('left')
    expect((await get(endless, { onBytes: () => ({ endWithinMs: 30 }), silenceMsMax: 5 })).ending).not.toBe('complete')
    expect((await get(endless, { durationMsMax: 120 })).ending).toBe('timeout')
  })

  test('reads no more of a body than it is told, and says how much that was', async () => {
    await serve((_, response) => {
      const piece = Buffer.alloc(10_000, 'x')
      const fill = (): void => {
        while (!response.destroyed && response.write(piece));
      }
      response.on('drain', fill)
      fill()
    })
    const exchange = await send({ bytesMax: 100_000 })
    expect([exchange.ending, exchange.head?.status]).toEqual(['too-long', 200])
    expect(exchange.problem).toContain(`no end in ${bodyBytes(exchange).length} bytes`)
    expect(bodyBytes(exchange).length).toBeLessThan(400_000)
  })

  test('reads an answer after an interim 100 that nobody asked for, and can leave its stream too', async () => {
    await serve((_, response) => {
      response.writeContinue()
      response.end('here')
    })
    for (const appetite of ['more', 'more', 'leave'] as const) {
      const exchange = await send({ onBytes: () => appetite })
      expect([exchange.head?.status, bodyBytes(exchange).toString()]).toEqual([200, 'here'])
      expect(exchange.ending).toBe(appetite === 'leave' ? 'left' : 'complete')
    }
  })

  test('sends each request once from then on, whatever ends without an interim answer meanwhile', async () => {
    let asked = 0
    const plain = Promise.withResolvers<void>()
    await serve(async (_, response) => {
      asked += 1
      if (asked === 1) await plain.promise
      else response.writeContinue()
      response.end('here')
    })
    const withoutInterim = send()
    await send()
    plain.resolve()
    await withoutInterim
    const before = asked
    await send()
    expect(asked - before).toBe(1)
  })

  test('uses a connection once where requests on kept ones were cut', async () => {
    const used = new WeakSet<object>()
    await serve(({ socket }, response) => {
      if (used.has(socket)) socket.destroy()
      used.add(socket)
      response.end('here')
    })
    const endings = []
    for (let turn = 0; turn < 12; turn += 1) endings.push((await send()).ending)
    expect(endings.filter((ending) => ending === 'reset').length).toBeLessThanOrEqual(3)
    expect(new Set(endings.slice(-5))).toEqual(new Set(['complete']))
  })
  test('uses no connection that was idle for long, unless the server announced that it may', async () => {
    const used = new Set<object>()
    const connectionsOf = async (announced: boolean) => {
      await serve(({ socket }, response) => {
        used.add(socket)
        // Node announces its limit unless there is such a header.
        if (!announced) response.setHeader('connection', 'keep-alive')
        response.end('here')
      })
      await send()
      await sleep(800)
      await send()
      return used.size
    }
    expect(await connectionsOf(false)).toBe(2)
    expect(await connectionsOf(true)).toBe(3)
  })

  test('tells a server that is gone from a cut answer after an interim one too', async () => {
    await get((_, response) => {
      response.writeContinue()
      response.end('here')
    })
    const port = portOf(server)
    await new Promise((closed) => {
      server?.close(closed)
      server?.closeAllConnections()
    })
    const gone = await wire.send({ method: 'GET', url: `http://127.0.0.1:${port}/`, headers: [] }, limits)
    expect([gone.ending, gone.problem]).toEqual(['unreachable', expect.stringContaining('ECONNREFUSED')])
  })

  test('goes through the proxy of the environment with either client', async () => {
    const asked: string[] = []
    await serve(({ headers }, response) => {
      asked.push(headers.host ?? '')
      response.writeContinue()
      response.end('here')
    })
    const port = portOf(server)
    server?.on('connect', (_, client) => {
      const origin = connect(port, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
      client.pipe(origin).pipe(client)
      client.on('error', () => origin.destroy())
    })
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${port}`)
    try {
      wire = createWire({ insecure: false })
      for (const turn of ['by undici, then by Node', 'by Node']) {
        const exchange = await wire.send({ method: 'GET', url: 'http://gateway.test/', headers: [] }, limits)
        expect(bodyBytes(exchange).toString(), turn).toBe('here')
      }
    } finally {
      vi.unstubAllEnvs()
    }
    expect(asked).toEqual(['gateway.test', 'gateway.test', 'gateway.test'])
  })
})
