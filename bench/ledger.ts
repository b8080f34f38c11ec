import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import autocannon from 'autocannon'
import type { Wrap } from '../reference-server/gateway/seams.ts'
import { amount } from '../reference-server/ledger/money.ts'
import { type RunningGateway, startGateway } from '../reference-server/main.ts'

/**
 * What the ledger costs: charged JSON requests on the embedded store (WAL, an fsync before every reply's last byte,
 * shared by the replies of one commit) beside the same gateway without a ledger; and what its growth costs, from 10
 * accounts to 100,000 accounts with 1,000,000 entries. Ratios of one run, median of the rounds.
 */
const rounds = 5
const connections = 256
const durationS = 2
const question = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 16 })

const withoutLedger: Wrap = {
  hold:
    () =>
    async (_, { key }) => ({ requestId: '', accountId: key.accountId, amount: amount(0) }),
  charge: () => async () => {},
  release: () => async () => {},
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const [small, large] = ['small', 'large'].map((name) => join(folder, `${name}.sqlite`))
  if (small === undefined || large === undefined) throw new Error('both files are named')
  for (const file of [small, large]) await (await startGateway({ demo: true, store: `sqlite:${file}` })).close()
  fill(large, 100_000, 1_000_000)
  const off = await startGateway({ demo: true, wraps: [withoutLedger] })
  const on = await startGateway({ demo: true, store: `sqlite:${small}` })
  const grown = await startGateway({ demo: true, store: `sqlite:${large}` })
  const [cost, growth] = [[] as number[], [] as number[]]
  for (let round = 1; round <= rounds; round += 1) {
    const [bare, charged, many] = [await requestsPerS(off), await requestsPerS(on), await requestsPerS(grown)]
    cost.push(charged / bare)
    growth.push(charged / many)
    console.log(
      `round ${round}: ledger off ${bare.toFixed(0)} requests/s, on ${charged.toFixed(0)}, on with 1,000,000 entries ${many.toFixed(0)}`,
    )
  }
  console.log(`charged requests against uncharged ones: ${median(cost).toFixed(2)} (goal 0.85)`)
  console.log(`time per request with 100,000 accounts and 1,000,000 entries: ${median(growth).toFixed(2)} × (goal 1.2)`)
  await Promise.all([off.close(), on.close(), grown.close()])
  rmSync(folder, { recursive: true, force: true })
}

/** Accounts with ten entries each, written as the gateway would have. */
function fill(file: string, accounts: number, entries: number): void {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA synchronous = OFF; BEGIN')
  const account = database.prepare(
    'INSERT INTO accounts (id, name, balance, entries, created_at) VALUES (?, ?, 1, ?, 0)',
  )
  const entry = database.prepare(
    `INSERT INTO entries (account_id, number, at, kind, request_id, key_id, model, prompt_tokens, completion_tokens,
      amount, usd, rate) VALUES (?, ?, 0, 'charge', ?, 'k', 'small', 10, 10, -1, -1, 1000000000000)`,
  )
  const each = entries / accounts
  for (let index = 0; index < accounts; index += 1) {
    account.run(`acc_${index}`, 'filled', each)
    for (let number = 1; number <= each; number += 1) entry.run(`acc_${index}`, number, `req_${index}_${number}`)
  }
  database.exec('COMMIT')
  database.close()
}

async function requestsPerS({ baseUrl, demo }: RunningGateway): Promise<number> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${demo?.apiKey ?? ''}` }
  const url = `${baseUrl}/api/v1/chat/completions`
  const result = await autocannon({
    url,
    method: 'POST',
    headers,
    body: question,
    connections,
    duration: durationS,
    workers: 1,
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx + result.errors} requests failed, so the round is not valid`)
  return result.requests.average
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

await main()
