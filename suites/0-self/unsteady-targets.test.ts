import { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { examine } from '../../detection/run/examine.ts'
import { errorAnswers } from '../../detection/wraps/answer.ts'
import { endingStreamsWith } from '../../detection/wraps/stream.ts'
import type { Wrap } from '../../reference-server/gateway/seams.ts'
import { prng } from '../../reference-server/network/prng.ts'
import { gate } from '../../src/run/gate.ts'
import { checks } from '../index.ts'

/** Cuts one connection in ten. */
function cutting(): Wrap {
  const chance = prng(7)
  return {
    serve: (real) => async (call) => {
      if (chance.below(10) === 0) call.response.socket?.destroy()
      else await real(call)
    },
  }
}

/** Answers one request in seven with a 503. */
function stumbling(): Wrap {
  const chance = prng(7)
  return {
    serve: (real) => async (call) => {
      if (chance.below(7) === 0)
        call.response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":{}}')
      else await real(call)
    },
  }
}

/** Lets thirty requests through, then ten a second. */
function limiting(): Wrap {
  let tokens = 30
  let filledAt = Date.now()
  return {
    serve: (real) => async (call) => {
      tokens = Math.min(30, tokens + (Date.now() - filledAt) / 100)
      filledAt = Date.now()
      if (tokens < 1) {
        call.response.writeHead(429, { 'retry-after': '1', 'content-type': 'application/json' }).end('{"error":{}}')
        return
      }
      tokens -= 1
      await real(call)
    },
  }
}

/** Waits two seconds before its first byte. */
function slow(): Wrap {
  return {
    serve: (real) => async (call) => {
      await sleep(2000)
      await real(call)
    },
  }
}

/** Takes ten milliseconds for each token. */
function writingSlowly(): Wrap {
  return {
    generate: (real) =>
      async function* (node, job, signal, call) {
        const reply = real(node, job, signal, call)
        for (;;) {
          const step = await reply.next()
          if (step.done) return step.value
          await sleep(10)
          yield step.value
        }
      },
  }
}

/** Refuses more than two chat requests at once. */
function crowding(status: 429 | 503): Wrap {
  let atOnce = 0
  return {
    serve: (real) => async (call) => {
      if (call.request.method === 'POST' && atOnce === 2) {
        call.response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":{}}')
        return
      }
      atOnce += 1
      try {
        await sleep(30)
        await real(call)
      } finally {
        atOnce -= 1
      }
    },
  }
}

describe.concurrent('a correct gateway fails no check, and the run ends, when it', () => {
  test.each([
    ['cuts connections at random', cutting, {}],
    ['answers 503 at random', stumbling, {}],
    ['limits the rate', limiting, { durationMsMax: 5000 }],
    ['is slow', slow, { durationMsMax: 8000, timeoutMs: 10_000 }],
    ['writes slowly', writingSlowly, { durationMsMax: 15_000, timeoutMs: 300 }],
    ['has room for two requests', () => crowding(429), { durationMsMax: 15_000 }],
  ])('%s', async (_, wrap, options) => {
    const results = await examine({ wraps: [wrap()], seed: 1, runs: 5, ...options })
    const failed = results.filter(({ verdict }) => verdict.kind === 'fail' || verdict.kind === 'error')
    expect(failed.map(({ id, verdict }) => [id, verdict])).toEqual([])
    const { exitCode } = gate(results, { level: 'should', scope: 'contract', allowUndecided: false })
    expect([0, 3]).toContain(exitCode)
  })
})

test.each([429, 503] as const)(
  'a gateway that answers %d to more than two requests at once is still judged',
  async (status) => {
    const selected = checks
      .filter(({ clause, level, needs }) => clause === '2.1' && level === 'must' && needs === undefined)
      .map(({ id }) => id)
    const results = await examine({ wraps: [crowding(status)], seed: 1, runs: 5, selected })
    const undecided = results.filter(({ verdict }) => verdict.kind !== 'pass')
    expect(undecided.map(({ id, verdict }) => [id, verdict])).toEqual([])
  },
)

test('a 503 for unknown models is waited out once, not for each id', async () => {
  let refused = 0
  const refusing: Wrap = errorAnswers((answer, error) => {
    if (error.code !== 'model_not_found') return answer
    refused += 1
    return { ...answer, status: 503, headers: { ...answer.headers, 'retry-after': '0' } }
  })
  const selected = ['unknown-model.refused', 'unknown-model.no-server-error'] as const
  const results = await examine({ wraps: [refusing], seed: 1, runs: 5, selected })
  expect(results.map(({ verdict }) => verdict.kind)).toEqual(['pass', 'pass'])
  // Four times for the first id, then once for each of the 7 + 11 others; an empty one is refused as a bad value.
  expect(refused).toBe(22)
})

/** Takes this many milliseconds for a thousand bytes of a prompt; above some size it reads forever. */
function reading(msPerKb: number, bytesMost: number): Wrap {
  return {
    generate: (real) =>
      async function* (node, job, signal, call) {
        const bytes = job.messages.reduce((sum, { content }) => sum + content.length, 0)
        await sleep(bytes > bytesMost ? 30_000 : (bytes / 1000) * msPerKb, undefined, { signal })
        return yield* real(node, job, signal, call)
      },
  }
}

test.each([
  ['a model that reads large prompts slowly is not failed', reading(100, Number.POSITIVE_INFINITY), 'untestable'],
  ['a model that never finishes reading a large prompt is failed', reading(1, 60_000), 'fail'],
])('%s', async (_, wrap, kind) => {
  const selected = ['window.large-body-accepted'] as const
  // A tenth of the prompt has to be read in a twentieth of this time, however busy the machine is.
  const timeoutMs = 3000
  const results = await examine({ wraps: [wrap], seed: 1, runs: 5, selected, timeoutMs })
  expect(results.map(({ verdict }) => verdict.kind)).toEqual([kind])
})

/** Is late once, with the first reply asked for while many wait for our node. */
function lateOnce(): Wrap {
  let waiting = 0
  let wasLate = false
  return {
    generate: (real) =>
      async function* (node, job, signal, call) {
        if (job.model !== 'scripted' && waiting >= 12 && !wasLate) {
          wasLate = true
          await sleep(400)
        }
        waiting += job.model === 'scripted' ? 1 : 0
        try {
          return yield* real(node, job, signal, call)
        } finally {
          waiting -= job.model === 'scripted' ? 1 : 0
        }
      },
  }
}

test('a reply that is late by chance is not mistaken for one that waits for a frozen node', async () => {
  const selected = ['relay.frozen-node-harms-no-others'] as const
  const results = await examine({ wraps: [lateOnce()], seed: 1, runs: 5, selected, withNodes: true })
  expect(results.map(({ verdict }) => verdict.kind)).toEqual(['pass'])
})

/** Cuts every request for the model list once a model has been without a node. */
function losingTheList(): Wrap {
  let wasDown = false
  return {
    chooseNode: (real) => (model, call) => {
      const node = real(model, call)
      if (node === undefined && model.id !== 'dormant') wasDown = true
      return node
    },
    serve: (real) => async (call) => {
      if (wasDown && call.request.url?.endsWith('/models')) call.response.socket?.destroy()
      else await real(call)
    },
  }
}

test('a model list that does not come says nothing about its models', async () => {
  const selected = ['model.down-and-up'] as const
  const results = await examine({ wraps: [losingTheList()], seed: 1, runs: 5, selected })
  expect(results.map(({ verdict }) => verdict)).toMatchObject([
    { kind: 'untestable', reason: 'the list was not served' },
  ])
})

/** Answers nobody once it was asked for a reply of a million tokens. */
function busyWithALongReply(): Wrap {
  let isBusy = false
  return {
    serve: (real) => async (call) => {
      if (isBusy) await new Promise<void>((gone) => call.left.addEventListener('abort', () => gone(), { once: true }))
      else await real(call)
      isBusy ||= (call.body?.tokensMax ?? 0) > 1_000_000
    },
  }
}

test('a target that is silent behind a reply that nothing bounds may still be writing it', async () => {
  const selected = ['window.excess', 'service.survives-the-run'] as const
  const results = await examine({ wraps: [busyWithALongReply()], seed: 1, runs: 5, selected, timeoutMs: 300 })
  expect(results.map(({ verdict }) => verdict)).toMatchObject([
    { kind: 'untestable', reason: expect.stringContaining('may still be writing') },
    { kind: 'observed' },
  ])
})

/** Stops for good when it is asked for a reply of a million tokens: nobody can connect any more. */
function stoppingAtALongReply(): Wrap {
  return {
    chooseNode: (real) => (model, call) => {
      const server: unknown = Reflect.get(call.request.socket, 'server')
      if ((call.body?.tokensMax ?? 0) > 1_000_000 && server instanceof Server) {
        server.close()
        server.closeAllConnections()
      }
      return real(model, call)
    },
  }
}

test('a target that takes no connection after such a reply is not writing it, but has stopped', async () => {
  const selected = ['window.excess', 'service.survives-the-run'] as const
  const results = await examine({ wraps: [stoppingAtALongReply()], seed: 1, runs: 5, selected, timeoutMs: 300 })
  const { verdict } = results.find(({ id }) => id === 'service.survives-the-run') ?? {}
  expect(verdict).toMatchObject({
    kind: 'fail',
    what: expect.stringContaining('"max_tokens":10000000'),
    actual: 'nothing',
  })
})

/** Says in the stream that a limit is none, as it says all that fails once a stream has begun. */
function refusingLimitsLate(): Wrap {
  const refused = new WeakSet<object>()
  return {
    parseBody: (real) => (bytes, call) => {
      const body = real(bytes, call)
      const limit = Object(body).max_tokens
      if (typeof limit !== 'number' || limit > 0) return body
      refused.add(call)
      return { ...Object(body), max_tokens: 2 }
    },
    generate: (real) =>
      async function* (node, job, signal, call) {
        for await (const piece of { [Symbol.asyncIterator]: () => real(node, job, signal, call) }) {
          yield piece
          if (refused.has(call)) throw new Error('max_tokens must be greater than 0')
        }
        return 'length'
      },
  }
}

test('streams without [DONE] are accused of that alone, and leave nothing else undecided', async () => {
  const decided = [
    'concurrency.streams-not-interrupted',
    'stream.leaving-spares-the-others',
    'chunk.finish-reason-once',
    'max-tokens.odd-values-graceful',
    'max-tokens.zero-is-not-unlimited',
  ] as const
  const wraps = [endingStreamsWith(''), refusingLimitsLate()]
  const results = await examine({ wraps, seed: 1, runs: 5, selected: [...decided, 'stream.ends-with-done'] })
  const verdicts = new Map(results.map(({ id, verdict }) => [id as string, verdict.kind]))
  expect(verdicts.get('stream.ends-with-done')).toBe('fail')
  for (const id of decided) expect([id, verdicts.get(id)]).toEqual([id, 'pass'])
})
