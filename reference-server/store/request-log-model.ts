import { hourOf } from '../ledger/day.ts'
import { type BookedRequest, type LoggedRequest, type RequestFilter, requestIdAt } from './request-log.ts'
import type { Store } from './store.ts'
import { charge, sum } from './store-model.ts'

const begin = Date.UTC(2026, 0, 1)

/** What a store says of four requests that were logged, one of them charged: the same of every store. */
export async function useRequestLog(store: Store): Promise<unknown> {
  const { id: accountId } = await store.openAccount('owner', sum(100))
  const line = (minute: number, more: Partial<LoggedRequest> = {}): LoggedRequest => {
    const at = begin + minute * 60_000
    const id = `${requestIdAt(at)}_${accountId}`
    return { id, at, accountId, keyId: 'k1', model: 'small', outcome: 'ok', status: 200, durationMs: 20, ...more }
  }
  const lines = [
    line(1, { firstTokenMs: 5 }),
    line(2, { keyId: 'k2', model: 'large' }),
    line(3, { outcome: 'refused', status: 429, code: 'rate_limit_exceeded' }),
    line(4, { accountId: 'another' }),
  ]
  const minuteOf = ({ at }: LoggedRequest): number => (at - begin) / 60_000
  const find = async (filter: RequestFilter = {}, before?: string, limit = 10): Promise<readonly number[]> =>
    (await store.requests(accountId, filter, before, limit)).map(minuteOf)

  const held = await store.hold(lines[0]?.id ?? '', accountId, sum(9).amount)
  if (held === undefined) throw new Error('the account can pay')
  await store.charge(held, charge(7, 'k1'))
  await store.logRequests(lines)
  const [newest, ...rest] = await store.requests(accountId, {}, undefined, 10)
  const oldest = rest.at(-1)
  const seen = {
    all: await find(),
    newestTwo: await find({}, undefined, 2),
    belowTheNewest: await find({}, newest?.id),
    untilTheSecondMinute: await find({}, requestIdAt(begin + 120_000)),
    ofOneKey: await find({ keyId: 'k2' }),
    ofOneModel: await find({ model: 'small' }),
    refused: await find({ outcome: 'refused' }),
    byId: await find({ id: lines[1]?.id ?? '' }),
    ofNobody: await store.requests('nobody', {}, undefined, 10),
    theRefusedOne: newest && fieldsOf(newest),
    theChargedOne: oldest && fieldsOf(oldest),
    usageOfTheHour: (await store.usageByHour(accountId, Date.now() - 60_000)).map(({ hour: _, ...rest }) => rest),
    usageOfLater: await store.usageByHour(accountId, Date.now() + 60_000),
    isOfThisHour: (await store.usageByHour(accountId, 0)).every(({ hour }) => hoursNow().includes(hour)),
  }
  await store.forgetRequests(begin + 120_000)
  const afterForgetting = await find()
  // More than one statement writes or forgets, and a number that is no multiple of either.
  const many = Array.from({ length: 1100 }, (_, at) => line(5, { id: `${requestIdAt(begin + 300_000)}_${at}` }))
  await store.logRequests(many)
  const afterMany = (await store.requests(accountId, {}, undefined, 2000)).length
  await store.forgetRequests(begin + 360_000)
  return { ...seen, afterForgetting, afterMany, atLast: await find() }
}

/** The hour may have ended since. */
function hoursNow(): readonly string[] {
  return [hourOf(Date.now()), hourOf(Date.now() - 60_000)]
}

function fieldsOf({ id: _, accountId: __, at: ___, ...rest }: BookedRequest): unknown {
  return rest
}

const ofSmall = { keyId: 'k1', model: 'small', durationMs: 20 }

export const expectedOfRequestLog = {
  all: [3, 2, 1],
  newestTwo: [3, 2],
  belowTheNewest: [2, 1],
  untilTheSecondMinute: [1],
  ofOneKey: [2],
  ofOneModel: [3, 1],
  refused: [3],
  byId: [2],
  ofNobody: [],
  theRefusedOne: { ...ofSmall, outcome: 'refused', status: 429, code: 'rate_limit_exceeded' },
  theChargedOne: {
    ...ofSmall,
    outcome: 'ok',
    status: 200,
    firstTokenMs: 5,
    promptTokens: 7,
    completionTokens: 1,
    usd: 7n,
  },
  usageOfTheHour: [{ keyId: 'k1', model: 'small', requests: 1, promptTokens: 7, completionTokens: 1, usd: 7n }],
  usageOfLater: [],
  isOfThisHour: true,
  afterForgetting: [3, 2],
  afterMany: 1102,
  atLast: [],
}
