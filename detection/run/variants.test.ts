import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Wrap } from '../../reference-server/gateway/seams.ts'
import type { CheckId } from '../../src/check/check-ids.ts'
import { wrapsNamed } from '../catalogue.ts'
import type { VariantId } from '../variants/index.ts'
import { type ExamineOptions, examine } from './examine.ts'

/** What one check says of a gateway with some variants. */
async function verdictOf(id: CheckId, names: readonly VariantId[], setting: Partial<ExamineOptions> = {}) {
  const results = await examine({
    wraps: wrapsNamed(names),
    seed: 1,
    runs: 3,
    selected: [id],
    timeoutMs: 3000,
    ...setting,
  })
  return results[0]?.verdict
}

test.each<[VariantId, CheckId]>([
  ['text-one-word', 'stream.equals-reply-unicode'],
  ['text-one-word', 'stream.equals-reply-when-long'],
  ['text-empty', 'stream.equals-reply-unicode'],
  ['text-empty', 'stream.equals-reply-when-long'],
  ['text-empty', 'stream.equals-reply-each-model'],
])('%s proves nothing about texts that were not said (%s)', { timeout: 600_000 }, async (name, id) => {
  expect(await verdictOf(id, [name])).toMatchObject({ kind: 'untestable' })
})

// The test runner fails for a rejection that nobody handles, which would end a thread with all its gateways.
test('streams that are refused during a restart are waited for', { timeout: 600_000 }, async () => {
  const verdict = await verdictOf('restart.new-requests', ['large-max-tokens-refused'], { withNodes: true })
  expect(verdict).toMatchObject({ kind: 'untestable', reason: expect.stringContaining('refuses max_tokens: 4000') })
})

test('a limit is not said to let nobody through where those that it let through met a busy engine', async () => {
  const busyForLimited: Wrap = {
    chooseNode: (real) => (model, call) => (call.caller?.key.requestsPerMinute === 1 ? undefined : real(model, call)),
  }
  const [result] = await examine({ wraps: [busyForLimited], seed: 1, runs: 3, selected: ['key.limit-holds'] })
  expect(result?.verdict).toMatchObject({ kind: 'untestable', reason: expect.stringContaining('503') })
})

test('an account that can pay every reply of a burst need refuse none', async () => {
  const verdict = await verdictOf('billing.no-overdraft', ['text-empty', 'model-prices-differ'])
  expect(verdict).toMatchObject({ kind: 'untestable', reason: expect.stringContaining('could pay all 100') })
})

test('what comes after failures of nodes waits until a gateway that rests them serves again', async () => {
  let restsUntilMs = 0
  const resting: Wrap = {
    chooseNode: (real) => (model, call) => (Date.now() < restsUntilMs ? undefined : real(model, call)),
    generate: (real) =>
      async function* (node, job, signal, call) {
        try {
          return yield* real(node, job, signal, call)
        } catch (error) {
          restsUntilMs = Date.now() + 4000
          throw error
        }
      },
  }
  const selected: readonly CheckId[] = ['relay.no-node-is-503', 'max-tokens.odd-values-graceful']
  const results = await examine({ wraps: [resting], seed: 1, runs: 3, selected, settlingMs: 10_000, withNodes: true })
  const graceful = results.find(({ id }) => id === 'max-tokens.odd-values-graceful')
  expect(graceful?.verdict).toMatchObject({ kind: 'pass' })
})

test('a stream is judged beside broken requests that a gateway goes on trying', { timeout: 600_000 }, async () => {
  const trying: Wrap = {
    generate: (real) =>
      async function* (node, job, signal, call) {
        try {
          return yield* real(node, job, signal, call)
        } catch (error) {
          await setTimeout(6000)
          throw error
        }
      },
  }
  const selected: readonly CheckId[] = ['relay.failing-harms-no-others']
  const [result] = await examine({ wraps: [trying], seed: 1, runs: 3, selected, timeoutMs: 3000, withNodes: true })
  expect(result?.verdict).toMatchObject({ kind: 'pass' })
})

test('chunks without created do not pass for chunks of one created', { timeout: 600_000 }, async () => {
  expect(await verdictOf('chunk.created-constant', ['chunks-bare'])).toMatchObject({ kind: 'not-applicable' })
  expect(await verdictOf('chunk.created-constant', [])).toMatchObject({ kind: 'pass' })
})

test.each<[VariantId, CheckId]>([
  ['reasoning-counted-beside-the-text', 'billing.left-node-is-paid-for-its-words'],
  ['now-and-then-429', 'relay.no-node-is-503'],
  ['rests-when-every-node-failed', 'relay.early-failure-is-no-reply'],
  ['rests-when-every-node-failed', 'relay.recovers'],
  ['rests-when-every-node-failed', 'relay.no-node-is-503'],
  ['rests-when-every-node-failed', 'relay.refusals-blame-no-node'],
  ['relay-reads-compressed-nodes', 'relay.compressed-node-is-read'],
  ['relay-asks-for-json', 'relay.any-form-of-stream'],
  ['relay-hedges', 'relay.left-request-is-not-tried-again'],
  ['relay-passes-unknown-headers-on', 'relay.no-request-shows-a-key'],
])('with our nodes, %s passes %s', { timeout: 600_000 }, async (name, id) => {
  expect(await verdictOf(id, [name], { withNodes: true })).toMatchObject({ kind: 'pass' })
})

test.each<CheckId>(['relay.compressed-node-is-read', 'relay.compressed-fragments-as-they-come'])(
  '%s says nothing where whoever accepts compression meets a limit',
  { timeout: 600_000 },
  async (id) => {
    const verdict = await verdictOf(id, ['compressed-requests-limited'], { withNodes: true })
    expect(verdict).toMatchObject({ kind: 'untestable', reason: expect.stringContaining('temporarily refused') })
  },
)

test('a header that a gateway does not read is not judged by what reaches a node', { timeout: 600_000 }, async () => {
  const setting = { withNodes: true }
  const verdict = await verdictOf('relay.key-in-other-headers-stays', ['relay-passes-unknown-headers-on'], setting)
  expect(verdict).toMatchObject({ kind: 'not-applicable', reason: 'the gateway takes a key in no other header' })
})

test.each<VariantId>(['sse-many-events-one-write', 'sse-cr-only', 'text-with-finish-reason'])(
  'with our nodes, %s holds a fragment for a reason of its own',
  { timeout: 600_000 },
  async (name) => {
    const verdict = await verdictOf('relay.fragments-wait-for-none', [name], { withNodes: true })
    expect(verdict).toMatchObject({ kind: 'not-applicable' })
  },
)

test.each<[CheckId, VariantId[]]>([
  // Whoever leaves a reply leaves the engine that writes it, whatever is around it.
  ['stream.left-spoils-nothing', ['usage-on-every-chunk', 'engine-serves-one-at-a-time']],
  ['billing.stream-charged', ['usage-on-every-chunk', 'include-usage-refused']],
  ['billing.stream-charged', ['usage-on-every-chunk', 'include-usage-refused', 'prompt-template-of-200-tokens']],
  ['billing.stream-charged', ['usage-on-every-chunk', 'include-usage-refused', 'reasoning-counted-beside-the-text']],
  ['billing.stream-charged', ['usage-on-every-chunk', 'include-usage-refused', 'reasoning-spends-the-limit']],
  ['billing.large-prompt-charged', ['usage-shown-later']],
  ['billing.entries-are-the-balance', ['entries-shown-later']],
])('%s passes %j', { timeout: 600_000 }, async (id, names) => {
  expect(await verdictOf(id, names, { settlingMs: 600 })).toMatchObject({ kind: 'pass' })
})
