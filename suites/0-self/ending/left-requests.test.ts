import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { CheckContext } from '../../../src/check/context.ts'
import { Unsettled } from '../../../src/target/unsettled.ts'
import { checks } from '../../index.ts'

/** A target whose time is used up as soon as the first text of a stream came: the stream itself is left to end. */
const lateContext = {
  model: 'm',
  prepared: { roster: [{ id: 'm' }] },
  undecidable: (reason: string) => new Unsettled('text', reason),
  settled: spent,
  send: spent,
  async sendStream(_: unknown, { onFirstContent }: { onFirstContent?(): void } = {}) {
    onFirstContent?.()
    await sleep(20)
    throw new Unsettled('budget', 'used up')
  },
} as unknown as CheckContext

async function spent(): Promise<never> {
  throw new Unsettled('budget', 'used up')
}

// The test runner fails for a rejection that nobody handles, which would end a whole run.
test.each(['models.listed-while-busy', 'concurrency.streams-not-interrupted'])(
  '%s waits for what it asked during a stream, also where the time of the run ends there',
  async (id) => {
    const check = checks.find((one) => one.id === id)
    await expect(check?.run(lateContext)).rejects.toThrow('used up')
  },
)
