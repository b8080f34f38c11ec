import { expect, test } from 'vitest'
import type { StreamAnswer } from '../target/answer.ts'
import type { Control } from '../target/control/control.ts'
import type { Request } from '../target/request.ts'
import type { Target } from '../target/target.ts'
import type { Exchange } from '../wire/transcript.ts'
import { openTestAccount } from './test-account.ts'

/** Pays for a stream at a target whose status depends on the body; returns what it was asked. */
async function paying(statusOf: (body: string) => number) {
  const asked: string[] = []
  const control = {
    openAccount: async () => 'account',
    createKey: async () => ({ id: 'key', key: 'sk-assay-0000' }),
    account: async () => ({ balanceUsd: '1.0', heldUsd: '0' }),
  } as Partial<Control> as Control
  const sendStream = async ({ body }: Request): Promise<StreamAnswer> => {
    asked.push(String(body))
    const exchange = { ending: 'complete', arrivals: [] } as Partial<Exchange> as Exchange
    const answer: Partial<StreamAnswer> = { status: statusOf(String(body)), exchange, chunks: [], done: true }
    return answer as StreamAnswer
  }
  const account = await openTestAccount({
    control,
    target: { config: { settlingMs: 0 } } as Target,
    model: 'small',
    nonce: () => 'n0',
    secret: (value) => value,
    send: () => Promise.reject(new Error('no reply was asked for')),
    sendStream,
  })
  const { status } = await account.payStream({ stream_options: { include_usage: true } })
  return { status, asked: asked.map((body) => body.includes('stream_options')) }
}

test('a stream is paid for without stream_options if the gateway refuses them', async () => {
  expect(await paying((body) => (body.includes('stream_options') ? 422 : 200))).toEqual({
    status: 200,
    asked: [true, false],
  })
})

test('a stream is paid for with stream_options if the gateway accepts them', async () => {
  expect(await paying(() => 200)).toEqual({ status: 200, asked: [true] })
})
