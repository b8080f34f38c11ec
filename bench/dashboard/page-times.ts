import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../reference-server/clock.ts'
import { hashPassword } from '../../reference-server/dashboard/passwords.ts'
import { Visitor } from '../../reference-server/dashboard/test-visitor.ts'
import { creditOf } from '../../reference-server/gateway/honest-seams.ts'
import { parseRate, parseUsd } from '../../reference-server/ledger/money.ts'
import { startGateway } from '../../reference-server/main.ts'
import { randomId } from '../../reference-server/random-id.ts'
import { openStore } from '../../reference-server/store/open-store.ts'
import { type LoggedRequest, requestIdAt } from '../../reference-server/store/request-log.ts'
import { quantile } from '../server/figures.ts'

const requests = 100_000
const chargedAtOnce = 1000
const loads = 21
const spanMs = 6 * 86_400_000
const person = { email: 'bench@example.org', password: 'a password of twelve' }
const operatorPassword = 'a password of the operator'

const pages = [
  '/',
  '/requests',
  '/requests?outcome=failed',
  '/requests?model=large',
  '/keys',
  '/usage',
  '/usage?days=1',
]
const otherPages = ['/ledger', '/models', '/playground']
const operatorPages = ['/operator', '/operator/health', '/operator/accounts']

/** How long each page takes for an account with a hundred thousand requests, from its request to its last byte. */
export async function measurePageTimes(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const store = `sqlite:${join(folder, 'books.sqlite')}`
  try {
    await fill(store)
    const gateway = await startGateway({ store, dashboard: { operatorPassword } })
    const root = (gateway.dashboard?.url ?? '').replace(/\/$/, '')
    const [owner, operator] = [new Visitor(root), new Visitor(root)]
    await owner.post('/sign-in', person)
    await operator.post('/operator/sign-in', { password: operatorPassword })
    for (const path of [...pages, ...otherPages]) await measure(owner, path)
    for (const path of operatorPages) await measure(operator, path)
    await gateway.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(visitor: Visitor, path: string): Promise<void> {
  const times: number[] = []
  for (let load = 0; load < loads; load += 1) {
    const startMs = performance.now()
    const answer = await visitor.get(path)
    await answer.text()
    times.push(performance.now() - startMs)
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
  }
  const sorted = times.toSorted((one, other) => one - other)
  console.log(
    `${path} from ${requests} requests: ${quantile(sorted, 0.5).toFixed(1)} ms (at most ${quantile(sorted, 1).toFixed(1)} ms; goal ≤ 50 ms), ${loads} loads`,
  )
}

/** A person's account whose requests of six days are in the log and, where they succeeded, in the books. */
async function fill(location: string): Promise<void> {
  const beginMs = Date.now() - spanMs
  let nowMs = beginMs
  const store = await openStore(location, { ...systemClock, unixMs: () => nowMs })
  const [rate, usd, price] = [parseRate('1'), parseUsd('1000'), parseUsd('0.001')]
  if (rate === undefined || usd === undefined || price === undefined) throw new Error('the sums are not understood')
  const { id: accountId } = await store.openAccount('bench', creditOf(usd, rate))
  const passwordHash = await hashPassword(person.password)
  await store.addPerson({ email: person.email, accountId, passwordHash, createdAt: beginMs })
  const cost = creditOf(price, rate)
  for (let from = 0; from < requests; from += chargedAtOnce) {
    const lines = Array.from({ length: chargedAtOnce }, (_, at) => lineOf(from + at, beginMs, accountId))
    nowMs = lines[0]?.at ?? nowMs
    await store.logRequests(lines)
    const charged = lines.filter(({ outcome }) => outcome === 'ok')
    await Promise.all(
      charged.map(async ({ id, keyId, model = '' }) => {
        const hold = await store.hold(id, accountId, cost.amount)
        if (hold === undefined) throw new Error('the account is empty')
        await store.charge(hold, { ...cost, keyId, model, promptTokens: 90, completionTokens: 10 })
      }),
    )
  }
  await store.close()
}

/** One in a thousand failed, and one in a hundred was for the large model. */
function lineOf(number: number, beginMs: number, accountId: string): LoggedRequest {
  const at = beginMs + Math.floor((number * spanMs) / requests)
  const line = { id: randomId(requestIdAt(at)), at, accountId, keyId: `key-${number % 3}`, durationMs: 20 }
  const model = number % 100 === 0 ? 'large' : 'small'
  if (number % 1000 !== 1) return { ...line, model, outcome: 'ok', status: 200, firstTokenMs: 5 }
  return { ...line, model, outcome: 'failed', status: 503, code: 'model_unavailable' }
}
