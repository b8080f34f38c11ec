import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Unsettled } from '../unsettled.ts'
import { createRecovery } from './recovery.ts'

/** A recovery whose plain requests take these milliseconds, one after the other; the last value stays. */
function recoveryOf(...took: readonly (number | 'silent' | 'unreachable')[]) {
  let asked = 0
  const recovery = createRecovery()
  recovery.watch({
    async ask() {
      asked += 1
      return took[Math.min(asked, took.length) - 1] ?? 'silent'
    },
    plainMs: 10,
    goneMs: 300,
    goneUnreachableMs: 300,
  })
  return { recovery, asked: () => asked }
}

test('after a silence nothing goes before a plain request is as fast as at the start', async () => {
  const { recovery, asked } = recoveryOf('silent', 5000, 12)
  recovery.noteSilence('POST /chat', 'json')
  recovery.noteSilence('POST /another', 'stream')
  await recovery.untilCalm('json')
  expect(asked()).toBe(3)
})

test('a target that answers no stream any more is gone for streams only, and the first silent request is named', async () => {
  const { recovery } = recoveryOf('silent')
  recovery.noteSilence('POST /chat/completions {"max_tokens":-1}', 'stream')
  await expect(recovery.untilCalm('stream')).rejects.toThrow('was POST /chat/completions {"max_tokens":-1}')
  await expect(recovery.untilCalm('stream')).rejects.toThrow('stopped answering streams')
  await recovery.untilCalm('json')
})

test('a target that takes no connection any more has stopped sooner than one that is silent', async () => {
  const recovery = createRecovery()
  recovery.watch({ ask: async () => 'unreachable', plainMs: 10, goneMs: 60_000, goneUnreachableMs: 300 })
  recovery.noteSilence('POST /chat/completions', 'json')
  await expect(recovery.untilCalm('json')).rejects.toThrow('stopped taking connections')
  await expect(recovery.untilCalm('stream')).rejects.toThrow('was POST /chat/completions')
})

test('a target that answers no plain request any more has stopped', async () => {
  const { recovery } = recoveryOf('silent')
  recovery.noteSilence('POST /chat/completions', 'json')
  await expect(recovery.untilCalm('json')).rejects.toThrow('stopped answering')
})

test('without a silence, and before anything is known of the target, nothing is waited for', async () => {
  const { recovery, asked } = recoveryOf(10)
  await recovery.untilCalm('json')
  const unwatched = createRecovery()
  unwatched.noteSilence('GET /models', 'json')
  await unwatched.untilCalm('json')
  await setImmediate()
  expect(asked()).toBe(0)
})

test('after a reply that nothing bounds was left, nothing goes before the target is calm, which ends its work', async () => {
  const { recovery, asked } = recoveryOf(5000, 12)
  expect(recovery.mayBeAtWork()).toBe(false)
  recovery.noteLeftWork('POST /chat/completions {"max_tokens":-1}', 'stream')
  expect(recovery.mayBeAtWork()).toBe(true)
  await recovery.untilCalm('json')
  expect(asked()).toBe(2)
  expect(recovery.mayBeAtWork()).toBe(false)
})

test('a target that is never calm again may still be at the reply that was left', async () => {
  const { recovery } = recoveryOf('silent')
  recovery.noteLeftWork('POST /chat/completions {"max_tokens":-1}', 'stream')
  await expect(recovery.untilCalm('stream')).rejects.toThrow('stopped answering streams')
  expect(recovery.mayBeAtWork()).toBe(true)
})

test('a target that was gone before is not at work for a reply that it never began', async () => {
  const { recovery } = recoveryOf('silent')
  recovery.noteSilence('GET /models', 'json')
  await expect(recovery.untilCalm('json')).rejects.toThrow('stopped answering')
  recovery.noteLeftWork('POST /chat/completions {"max_tokens":-1}', 'stream')
  expect(recovery.mayBeAtWork()).toBe(false)
})

test('a run whose budget ends while it waits goes on, so that its next request can say so', async () => {
  const recovery = createRecovery()
  recovery.watch({
    ask: () => Promise.reject(new Unsettled('budget', 'used up')),
    plainMs: 10,
    goneMs: 300,
    goneUnreachableMs: 300,
  })
  recovery.noteSilence('GET /models', 'json')
  await expect(recovery.untilCalm('json')).resolves.toBeUndefined()
})
