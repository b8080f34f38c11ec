import { describe, expect, test } from 'vitest'
import { variants } from '../../reference-server/faults/index.ts'
import { examine } from '../../src/cli/examine.ts'
import { createSemaphore } from '../../src/semaphore.ts'
import { checks } from '../index.ts'

/** A cross-section of what is legal; `npm run detection` takes every variant, and combinations of them. */
const crossSection = [
  'sse-no-space-after-colon',
  'sse-many-events-one-write',
  'sse-one-byte-writes',
  'sse-cut-inside-characters',
  'sse-crlf',
  'sse-cr-only',
  'sse-comments-between-events',
  'sse-metadata-comment-before-done',
  'sse-event-field',
  'sse-id-field',
  'sse-retry-field',
  'sse-unknown-field',
  'empty-chunks-as-keep-alive',
  'role-only-first-delta',
  'text-with-finish-reason',
  'first-chunk-without-choices',
  'chunks-with-vendor-fields',
  'ids-digits',
  'finish-reason-of-vendor',
  'whitespace-before-json',
  'json-unicode-escaped',
  'extra-fields-everywhere',
  'reasoning-spends-the-limit',
  'unknown-fields-refused',
  'text-random',
  'errors-as-problem-json',
  'validation-422',
  'bad-key-403',
  'unknown-model-503',
  'unfunded-403',
  'close-delimited-body',
  'interim-100',
  'json-gzip',
  'models-more',
  'models-list-needs-no-key',
  'key-in-x-api-key',
]

/** Examinations wait more than they work: some at once keep both cores busy. */
const enter = createSemaphore(6)

describe.concurrent('no check accuses a gateway that is only unusual:', () => {
  test.each(crossSection)('%s', { timeout: 600_000 }, async (name) => {
    const wrap = variants[name]?.wrap
    if (wrap === undefined) throw new Error(`there is no variant ${name}`)
    const leave = await enter()
    try {
      const { results } = await examine({ wraps: [wrap()], seed: 1, runs: 3, timeoutMs: 3000 })
      const accused = results.filter(({ verdict }) => verdict.kind === 'fail' || verdict.kind === 'error')
      expect(accused.map(({ check, verdict }) => [check.id, verdict])).toEqual([])
    } finally {
      leave()
    }
  })
})

test.each([
  ['text-one-word', ['stream.equals-reply-unicode', 'stream.equals-reply-when-long']],
  ['text-empty', ['stream.equals-reply-unicode', 'stream.equals-reply-when-long', 'stream.equals-reply-each-model']],
])('%s proves nothing about texts that were not said', { timeout: 600_000 }, async (name, ids) => {
  const wraps = [variants[name]?.wrap() ?? {}]
  const selected = checks.filter(({ id }) => ids.includes(id))
  const { results } = await examine({ wraps, seed: 1, runs: 3, selected, timeoutMs: 3000 })
  const undecided = results.filter(({ verdict }) => verdict.kind === 'untestable').map(({ check }) => check.id)
  expect(undecided).toEqual(expect.arrayContaining(ids))
})

test.each([
  ['reasoning-counted-beside-the-text', 'billing.left-node-is-paid-for-its-words'],
  ['now-and-then-429', 'relay.no-node-is-503'],
])('with nodes of ours, %s passes %s', { timeout: 600_000 }, async (name, id) => {
  const wraps = [variants[name]?.wrap() ?? {}]
  const selected = checks.filter((check) => check.id === id)
  const { results } = await examine({ wraps, seed: 1, runs: 3, selected, timeoutMs: 3000, withNodes: true })
  expect(results.find(({ check }) => check.id === id)?.verdict).toMatchObject({ kind: 'pass' })
})

test.each([
  ['billing.stream-charged', ['usage-on-every-chunk', 'include-usage-refused']],
  ['billing.stream-charged', ['usage-on-every-chunk', 'include-usage-refused', 'prompt-template-of-200-tokens']],
  ['billing.stream-charged', ['usage-on-every-chunk', 'include-usage-refused', 'reasoning-counted-beside-the-text']],
  ['billing.large-prompt-charged', ['usage-shown-later']],
  ['billing.entries-are-the-balance', ['entries-shown-later']],
])('%s passes %j', { timeout: 600_000 }, async (id, names) => {
  const wraps = names.map((name) => variants[name]?.wrap() ?? {})
  const selected = checks.filter((check) => check.id === id)
  const { results } = await examine({ wraps, seed: 1, runs: 3, selected, timeoutMs: 3000, settlingMs: 600 })
  expect(results.find(({ check }) => check.id === id)?.verdict).toMatchObject({ kind: 'pass' })
})
