import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, pipeline, Transform } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import { dialectNames } from '../../reference-server/node-server/dialect/dialects.ts'
import { judge } from '../../src/index.ts'
import { nodeDialects } from '../../src/options/node-dialects.ts'
import { freePort } from './free-port.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A gateway that changes nothing but what it is told to: keys, models and chunks are the business of the node behind it. */
async function startProxy(
  nodePort: number,
  change: () => Transform = () => new PassThrough(),
  changeAsked: () => Transform = () => new PassThrough(),
): Promise<string> {
  const proxy = createServer((incoming, response) => {
    const { method, url, headers } = incoming
    const target = { host: '127.0.0.1', port: nodePort, method, path: url, headers: { ...headers, host: 'node' } }
    const outgoing = request(target, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      pipeline(answer, change(), response, () => undefined)
    })
    outgoing.on('error', () => response.destroy())
    response.on('close', () => outgoing.destroy())
    pipeline(incoming, changeAsked(), outgoing, () => undefined)
  })
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening))
  closing.push(() => proxy.close())
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

const sound = [
  'auth.missing-key-refused',
  'auth.near-miss-refused',
  'auth.scheme-case-free',
  'chunk.*',
  'completion.*',
  'models.element-object',
  'models.id',
  'models.owned-by',
  'relay.any-form-of-stream',
  'relay.empty-text',
  'relay.every-request-unchanged',
  'relay.exchange-after-a-failure',
  'relay.exchange-after-a-left-stream',
  'relay.exchanges-beside-others',
  'relay.exchanges-in-turn',
  'relay.finish-reason',
  'relay.reply-left-is-cancelled',
  'relay.reply-text-exact',
  'relay.stream-left-is-cancelled',
  'relay.stream-text-exact',
  'stream.*',
  'unknown-model.refused',
  'usage.*',
]

test.each([undefined, ...dialectNames])(
  'a gateway that passes everything on is not blamed for how its nodes speak (%s), nor for the key that they want',
  { timeout: 120_000 },
  async (dialect) => {
    const port = await freePort()
    const key = 'sk-passed-on-0123456789'
    const { results } = await judge({
      'base-url': await startProxy(port),
      'api-path': '/v1',
      'api-key': key,
      model: 'small',
      nodes: `127.0.0.1:${port}`,
      'node-key': key,
      'node-dialect': dialect,
      only: [...sound, 'relay.key-stays-with-us'],
      seed: 1,
    })
    const verdictOf = (id: string) => results.find((result) => result.id === id)?.verdict.kind
    expect(results.filter(({ verdict }) => verdict.kind === 'fail').map(({ id }) => id)).toEqual([])
    expect(sound.filter((id) => !id.includes('*')).map((id) => [id, verdictOf(id)])).toEqual(
      sound.filter((id) => !id.includes('*')).map((id) => [id, 'pass']),
    )
    expect(verdictOf('relay.key-stays-with-us')).toBe('not-applicable')
  },
)

/** Takes the end marker from streams, and leaves one in a text alone. */
const withoutDone = () =>
  new Transform({
    transform(bytes: Buffer, _, done) {
      done(null, Buffer.from(bytes.toString('latin1').replace(/(^|\n)data: \[DONE\]\n\n$/, '$1'), 'latin1'))
    },
  })

test('a gateway that never sends [DONE] is told so once', { timeout: 120_000 }, async () => {
  const port = await freePort()
  const { results } = await judge({
    'base-url': await startProxy(port, withoutDone),
    'api-path': '/v1',
    'api-key': 'sk-passed-on-0123456789',
    model: 'small',
    nodes: `127.0.0.1:${port}`,
    only: ['stream.ends-with-done', 'relay.stream-text-exact', 'relay.empty-text', 'relay.missing-end-marker'],
    seed: 1,
  })
  const verdicts = Object.fromEntries(results.map(({ id, verdict }) => [id, verdict.kind]))
  expect(verdicts).toEqual({
    'stream.ends-with-done': 'fail',
    'relay.stream-text-exact': 'pass',
    'relay.empty-text': 'pass',
    'relay.missing-end-marker': 'blocked',
  })
})

/** Replaces what is found, and keeps the number of bytes. */
const replacing = (found: RegExp, by: (match: string) => string) => () =>
  new Transform({
    transform(bytes: Buffer, _, done) {
      const replaced = bytes.toString('latin1').replace(found, (match) => by(match).padEnd(match.length))
      done(null, Buffer.from(replaced, 'latin1'))
    },
  })

test('what a gateway loses on the way is told once', { timeout: 120_000 }, async () => {
  const port = await freePort()
  const callsAllComplete = replacing(/"finish_reason":"length"/g, () => '"finish_reason":"stop"')
  const losesStopsAndLongTexts = replacing(/"stop":|"content":"[^"\\]{60,}"/g, (match) =>
    match === '"stop":' ? '"stpo":' : '"content":"cut"',
  )
  const roots = ['relay.finish-reason', 'stop.ends-text', 'relay.messages-unchanged']
  const echoes = ['max-tokens.finish-reason', 'relay.stop-unchanged', 'usage.history-counts']
  const { results } = await judge({
    'base-url': await startProxy(port, callsAllComplete, losesStopsAndLongTexts),
    'api-path': '/v1',
    'api-key': 'sk-passed-on-0123456789',
    model: 'small',
    nodes: `127.0.0.1:${port}`,
    only: [...roots, ...echoes],
    seed: 1,
  })
  const by = Object.fromEntries(results.map(({ id, verdict }) => [id, 'by' in verdict ? verdict.by : verdict.kind]))
  for (const root of roots) expect([root, by[root]]).toEqual([root, 'fail'])
  expect(echoes.map((id) => by[id])).toEqual(roots)
})

test('every dialect of the node is an option', () => {
  expect([...nodeDialects].sort()).toEqual([...dialectNames].sort())
})
