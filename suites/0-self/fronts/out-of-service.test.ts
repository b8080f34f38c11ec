import { expect, test } from 'vitest'
import { examine } from '../../../detection/run/examine.ts'
import type { Wrap } from '../../../reference-server/gateway/seams.ts'

/** Answers 500 to everybody, from the first chat request without a key on: for so many milliseconds. */
function failingFor(ms: number): Wrap {
  let failsUntil = 0
  return {
    serve: (real) => async (call) => {
      const { method, headers } = call.request
      if (failsUntil === 0 && method === 'POST' && headers.authorization === undefined) failsUntil = Date.now() + ms
      if (Date.now() < failsUntil)
        call.response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{}}')
      else await real(call)
    },
  }
}

/** Is out of service for a moment, from the first body that comes in several packets on. */
function failingBehindASlowBody(ms: number): Wrap {
  let failsUntil = 0
  return {
    serve: (real) => async (call) => {
      const isRaw = call.request.headers.connection === undefined && call.request.method === 'POST'
      if (failsUntil === 0 && isRaw) failsUntil = Date.now() + ms
      if (Date.now() < failsUntil)
        call.response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{}}')
      else await real(call)
    },
  }
}

test('bytes on a socket that meet a moment out of service are sent again', async () => {
  const selected = ['http.slow-body'] as const
  const results = await examine({ wraps: [failingBehindASlowBody(1500)], seed: 1, runs: 5, selected, settlingMs: 5000 })
  expect(results.map(({ verdict }) => verdict.kind)).toEqual(['pass'])
})

test('a server that fails whatever it is asked has refused no key', async () => {
  const selected = ['auth.missing-key-refused'] as const
  const results = await examine({ wraps: [failingFor(60_000)], seed: 1, runs: 5, selected, settlingMs: 1000 })
  expect(results.map(({ verdict }) => verdict)).toMatchObject([
    { kind: 'untestable', reason: 'status 500; a plain request sent beside it failed too' },
  ])
})

test('a gateway that is out of service for a moment has survived the run', async () => {
  const selected = ['auth.missing-key-refused', 'service.survives-the-run'] as const
  const results = await examine({ wraps: [failingFor(1500)], seed: 1, runs: 5, selected, settlingMs: 5000 })
  expect(results.map(({ verdict }) => verdict.kind)).toEqual(['pass', 'pass'])
})

test('a gateway that fails whatever it is asked, though no node of it failed, is broken for good', async () => {
  const selected = ['auth.missing-key-refused', 'service.survives-the-run'] as const
  const wraps = [failingFor(60_000)]
  const results = await examine({ wraps, seed: 1, runs: 5, selected, settlingMs: 1000, withNodes: true })
  const last = results.find(({ id }) => id === 'service.survives-the-run')
  expect(last?.verdict).toMatchObject({ kind: 'fail', what: expect.stringContaining('nothing was served any more') })
})

test('a gateway that may rest the nodes that were made to fail is not said to be broken for good', async () => {
  let isResting = false
  const resting: Wrap = {
    serve: (real) => async (call) => {
      if (isResting) call.response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{}}')
      else await real(call)
    },
    readReply: (real) => (reply, call) => {
      isResting ||= reply.status >= 500
      return real(reply, call)
    },
  }
  const selected = ['relay.early-failure-is-no-reply', 'service.survives-the-run'] as const
  const limits = { settlingMs: 1000, durationMsMax: 40_000 }
  const results = await examine({ wraps: [resting], seed: 1, runs: 5, selected, withNodes: true, ...limits })
  const last = results.find(({ id }) => id === 'service.survives-the-run')
  expect(last?.verdict).toMatchObject({ kind: 'untestable', reason: expect.stringContaining('rests our nodes') })
})

/** Puts its nodes out of service for so long once one of them failed, and says 503 meanwhile. */
function restingNodesFor(ms: number): Wrap {
  let restsUntil = 0
  return {
    chooseNode: (real) => (model, call) => (Date.now() < restsUntil ? undefined : real(model, call)),
    readReply: (real) => (reply, call) => {
      if (reply.status >= 500 && restsUntil === 0) restsUntil = Date.now() + ms
      return real(reply, call)
    },
  }
}

test.each([
  ['for good', 60_000, { kind: 'fail', what: expect.stringContaining('our nodes are well') }],
  ['for longer than others', 4000, { kind: 'pass' }],
])('a gateway that gives its nodes up %s', async (_, ms, verdict) => {
  const selected = ['relay.early-failure-is-no-reply', 'relay.nodes-are-asked-again'] as const
  const limits = { settlingMs: 600, durationMsMax: 40_000 }
  const wraps = [restingNodesFor(ms)]
  const results = await examine({ wraps, seed: 1, runs: 5, selected, withNodes: true, ...limits })
  expect(results.find(({ id }) => id === 'relay.nodes-are-asked-again')?.verdict).toMatchObject(verdict)
})
