import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { CheckContext } from '../../check/context.ts'
import type { Answer } from '../../target/answer.ts'
import type { TargetConfig } from '../../target/config.ts'
import type { NodeRecord, Nodes } from '../../target/nodes.ts'
import type { Request } from '../../target/request.ts'
import { readStream } from '../../target/stream-reader.ts'
import type { Target } from '../../target/target.ts'
import { forecasting } from '../../target/turns/forecast.ts'
import type { Exchange } from '../../wire/transcript.ts'
import { play, playWhenReady, signOfFailure } from './scripted-nodes.ts'

const prepared = {} as CheckContext['prepared']

/** A gateway that answers with these statuses in turn, repeating the last one; undefined is a cut. */
async function replyTo(statuses: readonly (number | undefined)[], script = {}) {
  let asked = 0
  const send = async (): Promise<Answer> => {
    const status = statuses[Math.min(asked++, statuses.length - 1)]
    const exchange = {
      ending: status === undefined ? 'reset' : 'complete',
      arrivals: [],
    } as Partial<Exchange> as Exchange
    const answer: Partial<Answer> = { exchange, ...(status !== undefined && { status }) }
    return answer as Answer
  }
  const nodes: Partial<Nodes> = { model: 'scripted', script: async () => {} }
  const once: CheckContext['once'] = (_, make) => make()
  const context = { nodes, send, once, prepared, nonce: () => 'n0' } as Partial<CheckContext> as CheckContext
  const { status } = await (await play(context, { fragments: ['One.'], ...script })).reply()
  return { status, asked }
}

test.each([
  ['a cut', [undefined, 200], 200, 2],
  ['a 503', [503, 503, 200], 200, 3],
  ['a limit, for longer', [429, 429, 429, 429, 200], 200, 5],
  ['a limit after a 503', [503, 503, 429, 503], 503, 4],
])('%s is asked again if the nodes answer well', async (_, statuses, status, asked) => {
  expect(await replyTo(statuses)).toEqual({ status, asked })
})

test.each([
  ['cuts', undefined, 3],
  ['a 503', 503, 3],
  ['a limit', 429, 9],
])('%s that lasts counts as the answer', async (_, status, asked) => {
  expect(await replyTo([status])).toEqual({ status, asked })
})

test('the last time that a 503 is asked again, nothing else is in flight', async () => {
  const alone: (true | undefined)[] = []
  const send = async (request: Request) => {
    alone.push(request.alone)
    const exchange: Partial<Exchange> = { ending: 'complete', arrivals: [] }
    return { status: 503, exchange } as Partial<Answer> as Answer
  }
  const nodes: Partial<Nodes> = { model: 'scripted', script: async () => {} }
  const once: CheckContext['once'] = (_, make) => make()
  const context = { nodes, send, once, prepared, nonce: () => 'n0' } as Partial<CheckContext> as CheckContext
  const own = await play(context, { fragments: ['One.'] })
  await own.reply()
  expect(alone).toEqual([undefined, undefined, true])
})

test('a cut is not asked again if a script makes the node fail', async () => {
  expect(await replyTo([undefined, 200], { status: 500 })).toEqual({ status: undefined, asked: 1 })
})

test('a 400 is a refusal of the limit of 4000, unless that limit was served before', async () => {
  const statuses = [400, 200, 400]
  const send = async ({ body }: Request) => {
    const exchange: Partial<Exchange> = { ending: 'complete', arrivals: [] }
    const isPlain = !String(body).includes('assay-script')
    return { status: isPlain ? 200 : statuses.shift(), exchange } as Partial<Answer> as Answer
  }
  const kept = new Map<string, Promise<unknown>>()
  const once = ((key, make) => {
    if (!kept.has(key)) kept.set(key, make())
    return kept.get(key)
  }) as CheckContext['once']
  const nodes: Partial<Nodes> = { model: 'scripted', script: async () => {} }
  const context = { nodes, send, once, prepared, nonce: () => 'n0' } as Partial<CheckContext> as CheckContext
  const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' }
  await expect((await play(context, page)).reply()).rejects.toThrow('the target refuses max_tokens: 4000')
  expect(await (await play(context, { fragments: ['One.'] })).reply()).toMatchObject({ status: 200 })
  expect(await (await play(context, page)).reply()).toMatchObject({ status: 400 })
})

test('a gateway that was slow at first is not thought too slow for what our nodes say at once', async () => {
  const requests: Request[] = []
  const send = async (request: Request): Promise<Answer> => {
    requests.push(request)
    const exchange: Partial<Exchange> = { ending: 'complete', arrivals: [], endedAtMs: 1 }
    return { status: 500, exchange } as Partial<Answer> as Answer
  }
  const target = forecasting({ send } as Partial<Target> as Target, 1, { modeMs: { json: 1300, stream: 0 } })
  const nodes: Partial<Nodes> = { model: 'scripted', script: async () => {} }
  const once: CheckContext['once'] = (_, make) => make()
  const context = {
    nodes,
    send: target.send,
    once,
    prepared,
    nonce: () => 'n0',
  } as Partial<CheckContext> as CheckContext
  await (await play(context, { fragments: ['One.'], status: 500 })).reply()
  expect(requests.map(({ forecast }) => forecast?.leftMs)).toEqual([1300])
})

/** A stream of 200 with these events, ended by [DONE]. */
function streamOf(...events: readonly string[]) {
  const text = [...events, 'data: [DONE]'].map((event) => `${event}\n\n`).join('')
  const exchange = {
    head: { status: 200, headers: [], atMs: 0 },
    ending: 'complete',
    arrivals: [{ bytes: Buffer.from(text), atMs: 0 }],
  } as Partial<Exchange>
  return readStream(exchange as Exchange)
}

const ended = (reason: string | null): string =>
  `data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":${JSON.stringify(reason)}}]}`

test.each([
  ['an error event', streamOf('data: {"error":"gone"}')],
  ['an error event', streamOf('event: error\ndata: {"note":"gone"}')],
  ['an error event', streamOf('data: {"id":"1","choices":[],"error":{"code":502}}')],
  ['finish_reason error', streamOf(ended('error'))],
  ['an event that is no JSON', streamOf('data: {"id":"1","choices":[{"ind')],
  [undefined, streamOf(ended('stop'))],
  [undefined, streamOf(ended('length'))],
  [undefined, streamOf(ended(null))],
])('%s is the sign of failure in a stream that ends with [DONE]', (sign, stream) => {
  expect(signOfFailure(stream)).toBe(sign)
})

/** What comes of a script through a gateway, by what it answers to that and to plain requests. */
async function repliedBy(statusOf: (isPlayed: boolean) => number, script = {}, wereTakenDown = false): Promise<Answer> {
  const exchange: Partial<Exchange> = { ending: 'complete', arrivals: [] }
  const nodes = { model: 'scripted', script: async () => {}, wereTakenDown } as Partial<Nodes> as Nodes
  const send = async ({ body }: Request) =>
    ({ status: statusOf(String(body).includes('assay-script')), exchange }) as Partial<Answer> as Answer
  const once: CheckContext['once'] = (_, make) => make()
  const known = { model: 'scripted' } as CheckContext['prepared']
  const config: Partial<TargetConfig> = { settlingMs: 300 }
  const target = { config, remainingMs: () => 60_000 } as Partial<Target> as Target
  const parts: Partial<CheckContext> = { nodes, send, once, target, prepared: known, nonce: () => 'n0' }
  return (await play(parts as CheckContext, { fragments: ['One.'], ...script })).reply()
}

test('a gateway that serves again after a moment is asked again', async () => {
  let plain = 0
  let isOpen = false
  const reply = await repliedBy((isPlayed) => {
    if (!isPlayed) plain += 1
    isOpen ||= plain >= 3
    return isOpen ? 200 : 500
  })
  expect(reply).toMatchObject({ status: 200 })
})

test('a 503 beside a plain request that gets one too says nothing of what was asked, if a reply is due', async () => {
  const verdictOn = (plainStatus: number, script = {}, wereTakenDown = false) =>
    repliedBy((isPlayed) => (isPlayed ? 503 : plainStatus), script, wereTakenDown)
  await expect(verdictOn(503)).rejects.toThrow('a plain request sent beside it failed too')
  await expect(verdictOn(503, { body: 'data: {}\n\n' })).rejects.toThrow('a plain request sent beside it failed too')
  expect(await verdictOn(200)).toMatchObject({ status: 503 })
  expect(await verdictOn(503, { body: '<html></html>' })).toMatchObject({ status: 503 })
  expect(await verdictOn(503, { body: '' })).toMatchObject({ status: 503 })
  expect(await verdictOn(503, {}, true)).toMatchObject({ status: 503 })
})

/** What becomes of a script that waits for a gateway whose every answer is 503 until so many were asked. */
async function readyAfter(refused: number, settlingMs: number) {
  let asked = 0
  const exchange: Partial<Exchange> = { ending: 'complete', arrivals: [] }
  const send = async () => ({ status: asked++ < refused ? 503 : 200, exchange }) as Partial<Answer> as Answer
  const nodes: Partial<Nodes> = { model: 'scripted', count: 1, script: async () => {} }
  const target = { config: { settlingMs } } as Target
  const once: CheckContext['once'] = (_, make) => make()
  const known = { model: 'scripted' } as CheckContext['prepared']
  const context = { nodes, target, send, once, prepared: known, nonce: () => 'n0' } as Partial<CheckContext>
  await playWhenReady(context as CheckContext, { status: 500 })
  return asked
}

test('a gateway that answers everything with 503 after a failure is waited for', async () => {
  expect(await readyAfter(5, 0)).toBe(6)
})

test('a gateway that serves nothing any more after a failure leaves the check undecided, and the option is named', async () => {
  await expect(readyAfter(Number.POSITIVE_INFINITY, 0)).rejects.toThrow(
    'the gateway did not use our nodes again within 1.5 s of a failure: --settling S waits longer',
  )
})

test('a node that was never asked is no node that is rested', async () => {
  const exchange: Partial<Exchange> = { ending: 'complete', arrivals: [] }
  const asked = async () => [{ node: 0 } as Partial<NodeRecord> as NodeRecord]
  const two: Partial<Nodes> = { model: 'small', count: 2, script: async () => {}, records: asked, scripted: asked }
  const send = async () => ({ status: 200, exchange }) as Partial<Answer> as Answer
  const target = { config: { settlingMs: 0 } } as Target
  const once: CheckContext['once'] = (_, make) => make()
  const context = { nodes: two, target, send, once, prepared, nonce: () => 'n0' } as Partial<CheckContext>
  await expect(playWhenReady(context as CheckContext, { status: 500 }, true)).rejects.toThrow(
    'the gateway has asked only 1 of our 2 nodes so far: each must be one of small',
  )
})

test('a node that is still busy is found by several requests at once, which a gateway spreads', async () => {
  const load = [0, 1]
  const seen: NodeRecord[] = []
  const send = async (): Promise<Answer> => {
    const node = (load[0] ?? 0) <= (load[1] ?? 0) ? 0 : 1
    load[node] = (load[node] ?? 0) + 1
    seen.push({ node } as Partial<NodeRecord> as NodeRecord)
    await sleep(1)
    load[node] = (load[node] ?? 0) - 1
    const exchange: Partial<Exchange> = { ending: 'complete', arrivals: [] }
    return { status: 200, exchange } as Partial<Answer> as Answer
  }
  const records = async () => seen
  const nodes: Partial<Nodes> = { model: 'small', count: 2, script: async () => {}, records, scripted: records }
  const target = { config: { settlingMs: 0 } } as Target
  const once: CheckContext['once'] = (_, make) => make()
  const context = { nodes, target, send, once, prepared, nonce: () => 'n0' } as Partial<CheckContext>
  await playWhenReady(context as CheckContext, { status: 500 }, true)
  expect(new Set(seen.map(({ node }) => node))).toEqual(new Set([0, 1]))
})

test('a node that served before and rests now is waited for', async () => {
  const seen: NodeRecord[] = []
  // The first node, then only the second, and at last both.
  const nodeOf = (turn: number): number => (turn < 2 ? 0 : turn < 9 ? 1 : turn % 2)
  const send = async (): Promise<Answer> => {
    seen.push({ node: nodeOf(seen.length) } as Partial<NodeRecord> as NodeRecord)
    const exchange: Partial<Exchange> = { ending: 'complete', arrivals: [] }
    return { status: 200, exchange } as Partial<Answer> as Answer
  }
  const records = async () => seen
  const nodes: Partial<Nodes> = { model: 'small', count: 2, script: async () => {}, records, scripted: records }
  const target = { config: { settlingMs: 0 } } as Target
  const once: CheckContext['once'] = (_, make) => make()
  const context = { nodes, target, send, once, prepared, nonce: () => 'n0' } as Partial<CheckContext>
  await playWhenReady(context as CheckContext, { status: 500 }, true)
  expect(new Set(seen.slice(-3).map(({ node }) => node))).toEqual(new Set([0, 1]))
})

test('a gateway that refuses the model of our nodes whatever the limit is refuses no limit', async () => {
  const exchange: Partial<Exchange> = { ending: 'complete', arrivals: [] }
  const send = async () => ({ status: 404, exchange }) as Partial<Answer> as Answer
  const nodes: Partial<Nodes> = { model: 'small', script: async () => {} }
  const once: CheckContext['once'] = (_, make) => make()
  const context = { nodes, send, once, prepared, nonce: () => 'n0' } as Partial<CheckContext> as CheckContext
  await expect((await play(context, { fragments: ['One.'] })).reply()).rejects.toThrow(
    'a plain request for small, the model of our nodes, was answered with status 404: --nodes HOST:PORT=MODEL takes',
  )
})
