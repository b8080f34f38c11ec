import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { wrapsNamed } from '../../detection/catalogue.ts'
import { examine } from '../../detection/run/examine.ts'
import { workedOn } from '../../detection/wraps/left.ts'
import { isStream } from '../../detection/wraps/stream.ts'
import type { Wrap } from '../../reference-server/gateway/seams.ts'
import { judge, startReferenceGateway } from '../../src/index.ts'
import type { ChatBody } from '../../src/target/chat.ts'
import { assay } from './assay.ts'

/** Loses what makes its replies when it is asked for what is fatal, a stop that is a number, and then says to all that it is gone. */
function losingItsModel(isFatal = (body: ChatBody): boolean => typeof body['stop'] === 'number'): Wrap {
  let isGone = false
  return {
    serve: (real) => async (call) => {
      if (isGone && call.request.method === 'POST') {
        call.request.resume()
        const answer = JSON.stringify({ error: 'generation thread died' })
        call.response.writeHead(404, { 'content-type': 'application/json' }).end(answer)
      } else await real(call)
    },
    parseBody: (real) => (bytes, call) => {
      const body = real(bytes, call)
      isGone ||= isFatal(Object(body))
      return body
    },
  }
}

test('a server that blames its breakdown on the client is accused once, with the request that broke it', async () => {
  const gateway = await startReferenceGateway({ demo: true, simulated: true, wraps: [losingItsModel()] })
  const met = ['http.content-type-parameters', 'request.key-order-is-free', 'http.streams-back-to-back']
  const only = ['stop.wrong-type-refused', ...met, 'service.survives-the-run']
  const key = gateway.demo?.apiKey ?? ''
  const { results } = await judge({ 'base-url': new URL(gateway.baseUrl).origin, 'api-key': key, seed: '1', only })
  await gateway.close()
  const failed = results.filter(({ verdict }) => verdict.kind === 'fail')
  expect(failed.map(({ id }) => id)).toEqual(['service.survives-the-run'])
  expect(failed[0]?.verdict).toMatchObject({ what: expect.stringContaining('"stop":5'), actual: '404' })
  const behind = results.flatMap(({ verdict }) => (verdict.kind === 'blocked' ? [verdict.by] : []))
  expect(new Set(behind)).toEqual(new Set(['service.survives-the-run']))
})

test('what a server refuses after its breakdown is not taken for a refusal of mistakes', async () => {
  const wraps = [losingItsModel((body) => Number(body['temperature']) > 2)]
  const odd = ['max-tokens.wrong-type-refused', 'request.body-not-object-refused'] as const
  const only = ['temperature.above-range-refused', ...odd, 'service.survives-the-run']
  const gateway = await startReferenceGateway({ demo: true, simulated: true, wraps })
  const url = new URL(gateway.baseUrl).origin
  const { results } = await judge({ 'base-url': url, 'api-key': gateway.demo?.apiKey ?? '', concurrency: '1', only })
  await gateway.close()
  const verdicts = new Map(results.map(({ id, verdict }) => [id as string, verdict]))
  for (const id of odd) expect(verdicts.get(id)).toMatchObject({ kind: 'untestable', cause: 'target' })
})

test('what a whole run did to a server is replayed with all checks of that run, and no others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-breakdown-'))
  const stops: unknown[] = []
  const temperatures: unknown[] = []
  const noting: Wrap = {
    parseBody: (real) => (bytes, call) => {
      const { stop, temperature } = Object(real(bytes, call))
      if (stop !== undefined) stops.push(stop)
      if (temperature !== undefined) temperatures.push(temperature)
      return real(bytes, call)
    },
  }
  const start = () => startReferenceGateway({ demo: true, simulated: true, wraps: [losingItsModel(), noting] })
  const [first, second] = [await start(), await start()]
  const id = 'service.survives-the-run'
  const only = ['--only', 'stop.wrong-type-refused', '--only', id]
  const keyOf = ({ demo }: typeof first) => ({ ASSAY_API_KEY: demo?.apiKey ?? '' })
  await assay(['conformance', '--base-url', new URL(first.baseUrl).origin, ...only], keyOf(first), folder)
  stops.length = 0
  const again = await assay(['replay', id, '--base-url', new URL(second.baseUrl).origin], keyOf(second), folder)
  await Promise.all([first.close(), second.close()])
  rmSync(folder, { recursive: true, force: true })
  expect(again.out + again.err).toContain(`${id}: still failing`)
  expect(stops).toContain(5)
  expect(temperatures).toEqual([])
})

/** Begins each stream, and breaks it off. */
function breakingStreams(): Wrap {
  return {
    openStream: (real) => (head, call) => {
      const sink = real(head, call)
      call.response.destroy()
      return sink
    },
  }
}

test('a server whose streams break is judged by the replies that it gives', async () => {
  const decided = [
    'message.roles-accepted',
    'message.unicode-accepted',
    'usage.history-counts',
    'stop.array-accepted',
    'stop.ends-text',
    'unknown-model.refused',
    'temperature.out-of-range-is-client-error',
    'request.model-missing-is-client-error',
  ] as const
  const wraps = [breakingStreams()]
  const results = await examine({ wraps, seed: 1, runs: 5, selected: [...decided, 'stream.answers'] })
  const verdicts = new Map(results.map(({ id, verdict }) => [id as string, verdict.kind]))
  expect(verdicts.get('stream.answers')).toBe('fail')
  for (const id of decided) expect([id, verdicts.get(id)]).toEqual([id, 'pass'])
})

test('an empty text that comes as null is one failure', async () => {
  const wraps = wrapsNamed(['reply-content-null-when-empty'])
  const gateway = await startReferenceGateway({ demo: true, simulated: true, wraps })
  const only = ['completion.content', 'stop.text-is-exact-prefix']
  const key = gateway.demo?.apiKey ?? ''
  const { results } = await judge({ 'base-url': new URL(gateway.baseUrl).origin, 'api-key': key, seed: '1', only })
  await gateway.close()
  const verdicts = results.map(({ id, verdict }) => [id, verdict.kind === 'blocked' ? verdict.by : verdict.kind])
  expect(Object.fromEntries(verdicts)).toEqual({
    'completion.content': 'fail',
    'stop.text-is-exact-prefix': 'completion.content',
  })
})

test('clients that leave before the first word, in either mode, are one failure, shown by the request of one that left', async () => {
  const unwatched: Wrap = {
    generate: (real) => (node, job, _, call) => {
      const giveUp = new AbortController()
      return workedOn(real(node, job, giveUp.signal, call), call, (fragments) => {
        if (isStream(call) && fragments > 0) giveUp.abort(call.left.reason)
      })
    },
  }
  const selected = ['relay.reply-left-is-cancelled', 'relay.stream-left-anywhere'] as const
  const results = await examine({ wraps: [unwatched], seed: 1, runs: 5, selected, withNodes: true })
  const [reply, stream] = selected.map((id) => results.find((result) => result.id === id))
  expect(reply?.verdict.kind).toBe('fail')
  expect(stream?.verdict).toMatchObject({ kind: 'blocked', by: 'relay.reply-left-is-cancelled' })
  expect(reply?.exchanges.at(-1)).toMatchObject({ ending: 'left', curl: expect.stringContaining(' -m 0.6 ') })
})
