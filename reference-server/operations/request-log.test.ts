import { expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import type { LoggedRequest, RequestLog } from '../store/request-log.ts'
import type { EndedRequest } from './activity.ts'
import { requestLogWriter } from './request-log.ts'

type Call = Parameters<ReturnType<typeof requestLogWriter>['add']>[1]

const call = { caller: { key: { id: 'k', accountId: 'a' } } } as Call
const ended: EndedRequest = {
  number: 1,
  path: '/api/v1/chat/completions',
  model: 'small',
  keyId: 'k',
  method: 'POST',
  status: 200,
  requestId: 'req_1',
  durationMs: 12,
  firstTokenMs: null,
  code: null,
  nodeId: 'sim-small',
  left: false,
}

function recording(): RequestLog & { readonly batches: (readonly LoggedRequest[])[]; readonly forgotten: number[] } {
  const [batches, forgotten]: [(readonly LoggedRequest[])[], number[]] = [[], []]
  return {
    batches,
    forgotten,
    logRequests: async (batch) => void batches.push(batch),
    forgetRequests: async (before) => void forgotten.push(before),
    requests: async () => [],
  }
}

test('requests are written in batches, and old ones are forgotten once an hour', async () => {
  const store = recording()
  let now = 10 * 86_400_000
  const log = requestLogWriter(store, { unixMs: () => now }, 7)
  for (const requestId of ['req_1', 'req_2', null]) log.add({ ...ended, requestId }, call)
  await log.flush()
  log.add({ ...ended, requestId: 'req_4', status: 503, code: 'model_unavailable' }, call)
  await log.flush()
  now += 3_600_000
  await log.flush()
  expect(store.batches.map((batch) => batch.length)).toEqual([3, 1])
  expect(store.batches[0]?.[0]).toMatchObject({ id: 'req_1', at: 10 * 86_400_000 - 12, accountId: 'a', outcome: 'ok' })
  expect(store.batches[0]?.[2]?.id).toMatch(/^req_[0-9a-f]{30,}$/)
  expect(store.batches[1]?.[0]).toMatchObject({ outcome: 'failed', code: 'model_unavailable' })
  expect(store.forgotten).toEqual([3 * 86_400_000, 3 * 86_400_000 + 3_600_000])
})

test.each([
  ['refused', { status: 429, code: 'rate_limit_exceeded' }],
  ['failed', { status: 200, code: 'model_unavailable' }],
  ['left', { left: true, code: null }],
])('a request was %s where it ended as %j', async (outcome, how) => {
  const store = recording()
  const log = requestLogWriter(store, systemClock, 7)
  log.add({ ...ended, ...how }, call)
  await log.flush()
  expect(store.batches[0]?.[0]?.outcome).toBe(outcome)
})

test('strangers and lists of models are not in it', async () => {
  const store = recording()
  const log = requestLogWriter(store, systemClock, 7)
  log.add(ended, { ...call, caller: undefined } as unknown as Call)
  log.add({ ...ended, method: 'GET' }, call)
  await log.flush()
  expect(store.batches).toEqual([])
})

test('batches are small and written as they fill; what waits for a slow store is bounded', async () => {
  const store = recording()
  const answer = Promise.withResolvers<void>()
  const log = requestLogWriter(
    { ...store, logRequests: (batch) => store.logRequests(batch).then(() => answer.promise) },
    systemClock,
    7,
  )
  const written = () => store.batches.map((batch) => batch.length)
  for (let count = 0; count < 64; count += 1) log.add(ended, call)
  await Promise.resolve()
  expect(written()).toEqual([64])
  for (let count = 0; count < 20_010; count += 1) log.add(ended, call)
  expect(written()).toEqual([64])
  answer.resolve()
  await log.flush()
  expect(Math.max(...written())).toBe(64)
  expect(written().reduce((sum, length) => sum + length)).toBe(64 + 20_000)
})

test('a store that refuses the log fails no request, and is written to again', async () => {
  const store = recording()
  let isFull = true
  const full: RequestLog = {
    ...store,
    logRequests: (batch) => (isFull ? Promise.reject(new Error('disk full')) : store.logRequests(batch)),
  }
  const log = requestLogWriter(full, systemClock, 7)
  log.add(ended, call)
  await log.flush()
  isFull = false
  log.add(ended, call)
  await log.flush()
  expect(store.batches.map((batch) => batch.length)).toEqual([1])
})
