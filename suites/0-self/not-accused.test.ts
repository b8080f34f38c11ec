import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { examine } from '../../detection/run/examine.ts'
import type { Json } from '../../detection/wraps/json.ts'
import { changingListData } from '../../detection/wraps/list.ts'
import { rewritingReplies } from '../../detection/wraps/relay.ts'
import { refusing } from '../../detection/wraps/request.ts'
import { changingSink } from '../../detection/wraps/stream.ts'
import { modelUnavailable } from '../../reference-server/gateway/gateway-error.ts'
import type { Wrap } from '../../reference-server/gateway/seams.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { judge, startNode, startReferenceGateway } from '../../src/index.ts'
import { Unsettled } from '../../src/target/unsettled.ts'
import { checks } from '../index.ts'
import { assay } from './assay.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

test('a key that is an ordinary word is told, and no text that has the word is taken for a leak', async () => {
  const node = await startNode({ models: ['small'] })
  closing.push(() => node.close())
  const id = 'auth.errors-keep-key-secret'
  const { results } = await judge({ 'base-url': node.url, 'api-path': '/v1', 'api-key': 'any', only: [id] })
  expect(results.find((result) => result.id === id)?.verdict).toMatchObject({
    kind: 'untestable',
    reason: expect.stringContaining('the key has 3 characters'),
  })
})

test('a model that is served and was never listed is not said to vanish from the list while it is busy', async () => {
  const gateway = await startReferenceGateway({
    demo: true,
    simulated: true,
    wraps: [changingListData((data) => data.filter((model) => Object(model).id !== 'small'))],
  })
  closing.push(() => gateway.close())
  const id = 'models.listed-while-busy'
  const key = gateway.demo?.apiKey ?? ''
  const origin = new URL(gateway.baseUrl).origin
  const { results } = await judge({ 'base-url': origin, 'api-key': key, model: 'small', only: [id] })
  expect(results.find((result) => result.id === id)?.verdict).toMatchObject({
    kind: 'untestable',
    reason: expect.stringContaining('did not name small at the start either'),
  })
})

test('audits of what our nodes saw decide nothing where there was no room to ask them anything', async () => {
  const audits = [
    'relay.exchange-details',
    'relay.every-request-unchanged',
    'relay.every-reply-unchanged',
    'relay.no-request-shows-a-key',
  ]
  const only = audits.flatMap((id) => ['--only', id])
  const { out } = await assay(['conformance', ...only, '--max-requests', '3', '--seed', '1', '--report', 'json'])
  const results: readonly { readonly id: string; readonly verdict: string }[] = JSON.parse(out).results
  expect(results.map(({ id, verdict }) => [id, verdict]).sort()).toEqual(audits.map((id) => [id, 'untestable']).sort())
})

test('a client that gets a stream whole and at once has not left it', async () => {
  const selected = ['relay.exchange-after-a-left-stream'] as const
  const wraps = [rewritingReplies((texts) => [texts.join('')])]
  const results = await examine({ wraps, seed: 1, runs: 5, selected, withNodes: true })
  expect(results.map(({ verdict }) => verdict)).toMatchObject([
    { kind: 'untestable', reason: 'a long stream could not be left in its middle' },
  ])
})

test('a gateway that refuses a late system message is told so, and judged by other conversations', async () => {
  const hasLateSystem = (body: Json): boolean => /"role":"user".*"role":"system"/.test(JSON.stringify(body))
  const selected = [
    'message.roles-accepted',
    'message.any-order-accepted',
    'relay.messages-unchanged',
    'relay.exchanges-in-turn',
    'usage.history-counts',
  ] as const
  const wraps = [refusing(hasLateSystem)]
  const results = await examine({ wraps, seed: 1, runs: 5, selected, withNodes: true })
  expect(Object.fromEntries(results.map(({ id, verdict }) => [id, verdict.kind]))).toEqual({
    'message.roles-accepted': 'pass',
    'message.any-order-accepted': 'fail',
    'relay.messages-unchanged': 'pass',
    'relay.exchanges-in-turn': 'pass',
    'usage.history-counts': 'pass',
  })
})

test('a gateway that keeps a node in reserve is judged by what it does when the first one fails', async () => {
  const firstOf: Wrap = {
    chooseNode: (real) => (model, call) =>
      // Each is drawn by chance.
      Array.from({ length: 12 }, () => real(model, call))
        .filter((node) => node !== undefined)
        .toSorted((one, other) => one.id.localeCompare(other.id, 'en', { numeric: true }))[0],
  }
  const selected = ['relay.another-node-is-tried'] as const
  const results = await examine({ wraps: [firstOf], seed: 1, runs: 5, selected, withNodes: true })
  expect(results.map(({ verdict }) => verdict)).toMatchObject([{ kind: 'pass' }])
})

test('one 503 to the stream beside others whose node breaks off is chance', async () => {
  let underWay = 0
  let isRefused = false
  const crowded: Wrap = {
    chooseNode: (real) => (model, call) => {
      underWay += 1
      call.response.once('close', () => {
        underWay -= 1
      })
      if (underWay === 5 && !isRefused) {
        isRefused = true
        throw modelUnavailable()
      }
      return real(model, call)
    },
  }
  const selected = ['relay.failing-harms-no-others'] as const
  const results = await examine({ wraps: [crowded], seed: 1, runs: 5, selected, withNodes: true })
  expect(isRefused).toBe(true)
  expect(results.map(({ verdict }) => verdict)).toMatchObject([{ kind: 'pass' }])
})

test('a server that refuses only the limit of a plain request is told so', async () => {
  const wraps = [refusing((body) => 'max_tokens' in body)]
  const results = await examine({ wraps, seed: 1, runs: 5, selected: ['chat.answers'] })
  const what = 'answer to a request with max_tokens, without which it is served'
  expect(results.map(({ verdict }) => verdict)).toMatchObject([{ kind: 'fail', what }])
})

test('streams that close late are not said to stay open, though one of them closes later than the others', async () => {
  let closed = 0
  const late = changingSink((sink) => ({
    async end() {
      closed += 1
      await sleep(closed === 3 ? 1500 : 60)
      await sink.end()
    },
  }))
  const results = await examine({ wraps: [late], seed: 1, runs: 5, selected: ['stream.closes', 'stream.not-buffered'] })
  expect(closed).toBeGreaterThan(3)
  expect(results.map(({ verdict }) => verdict.kind)).toEqual(['pass', 'pass'])
})

test('the media type of replies is not judged where no reply is JSON', async () => {
  const context = {
    samples: { replies: async () => [{ answer: { json: undefined } }] },
    undecidable: (reason: string) => new Unsettled('text', reason),
  } as unknown as CheckContext
  const check = checks.find(({ id }) => id === 'reply.content-type')
  await expect(check?.run(context)).rejects.toThrow(new Unsettled('text', 'no reply is JSON'))
})
