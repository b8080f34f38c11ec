import { accountSql, creditSql, entriesSql, insertAccountSql } from '../../store/postgres/accounts-sql.ts'
import { chargedSql, chargeSql, holdSql, placeSql, releaseSql, undoSql } from '../../store/postgres/holds-sql.ts'
import { type Given, integerAt, type Statement, textAt } from './statement.ts'
import { addEntry, move, type Tables, Violation } from './tables.ts'

const lockAccount = (given: Given): readonly string[] => [`account ${textAt(given, 1)}`]

/** A request's hold and its account. */
function lockHold(given: Given): readonly string[] {
  const requestId = textAt(given, 1)
  const hold = given.tables.holds.get(requestId)
  return [`hold ${requestId}`, ...(hold === undefined ? [] : [`account ${hold.accountId}`])]
}

/** Ends a request's hold, if there is one, and takes what is paid from its account. */
function endHold({ holds, accounts }: Tables, requestId: string, paid: bigint) {
  const hold = holds.get(requestId)
  const account = hold && accounts.get(hold.accountId)
  if (hold === undefined || account === undefined) return undefined
  move(account, -paid, -hold.amount)
  holds.delete(requestId)
  return account
}

const creditRow = {
  kind: 'credit',
  request_id: null,
  key_id: null,
  model: null,
  prompt_tokens: null,
  completion_tokens: null,
}

/** The statements of accounts, holds and entries, by their SQL. */
export const moneyStatements: ReadonlyMap<string, Statement> = new Map<string, Statement>([
  [
    insertAccountSql,
    {
      // Nobody else knows its id before it is committed, so it may be there at once.
      run(given) {
        const id = textAt(given, 1)
        given.tables.accounts.set(id, { id, name: textAt(given, 2), balance: 0n, held: 0n })
        return { rows: [] }
      },
    },
  ],
  [
    accountSql,
    {
      run(given) {
        const account = given.tables.accounts.get(textAt(given, 1))
        return { rows: account === undefined ? [] : [{ ...account }] }
      },
    },
  ],
  [
    creditSql,
    {
      locks: lockAccount,
      run(given) {
        const { tables } = given
        const [id, amount, at] = [textAt(given, 1), integerAt(given, 2), integerAt(given, 3)]
        const account = tables.accounts.get(id)
        if (account === undefined) return { rows: [] }
        const number = BigInt((tables.entries.get(id)?.length ?? 0) + 1)
        const change = (): void => {
          move(account, amount, 0n)
          addEntry(tables, id, { ...creditRow, at, amount, usd: integerAt(given, 4), rate: integerAt(given, 5) })
        }
        return { rows: [{ number }], change }
      },
    },
  ],
  [
    entriesSql,
    {
      run(given) {
        const entries = given.tables.entries.get(textAt(given, 1)) ?? []
        const after = Number(integerAt(given, 2))
        return { rows: entries.slice(after, after + Number(integerAt(given, 3))) }
      },
    },
  ],
  [
    chargedSql,
    {
      run(given) {
        const charged = given.tables.charges.get(textAt(given, 1))
        return { rows: charged === undefined ? [] : [{ number: charged['number'] }] }
      },
    },
  ],
  [holdSql, { locks: lockAccount, run: runHold }],
  [
    placeSql,
    {
      run(given) {
        const [requestId, accountId, replicaId] = [textAt(given, 1), textAt(given, 2), textAt(given, 3)]
        if (given.tables.holds.has(requestId)) return { rows: [] }
        given.tables.holds.set(requestId, { accountId, amount: 0n, replicaId })
        return { rows: [{ request_id: requestId }] }
      },
    },
  ],
  [chargeSql, { locks: lockHold, run: runCharge }],
  [
    releaseSql,
    {
      locks: lockHold,
      run(given) {
        const account = endHold(given.tables, textAt(given, 1), 0n)
        return { rows: account === undefined ? [] : [{ id: account.id }] }
      },
    },
  ],
  [undoSql, { run: runUndo }],
])

function runHold(given: Given) {
  const { tables, nowMs } = given
  const [accountId, amount, requestId, replicaId] = [
    textAt(given, 1),
    integerAt(given, 2),
    textAt(given, 3),
    textAt(given, 4),
  ]
  const account = tables.accounts.get(accountId)
  const isLeased = (tables.replicas.get(replicaId)?.leaseUntilMs ?? 0) > nowMs
  const isHeld = isLeased && account !== undefined && account.balance - account.held >= amount
  if (isHeld) {
    if (tables.holds.has(requestId)) throw new Violation('holds_pkey')
    move(account, 0n, amount)
    tables.holds.set(requestId, { accountId, amount, replicaId })
  }
  return { rows: [{ is_leased: isLeased, is_held: isHeld }] }
}

function runCharge(given: Given) {
  const { tables } = given
  const [requestId, amount] = [textAt(given, 1), integerAt(given, 2)]
  if (tables.holds.has(requestId) && tables.charges.has(requestId)) throw new Violation('entries_request_id_key')
  const account = endHold(tables, requestId, amount)
  if (account === undefined) return { rows: [] }
  const entry = addEntry(tables, account.id, {
    kind: 'charge',
    at: integerAt(given, 3),
    request_id: requestId,
    key_id: textAt(given, 4),
    model: textAt(given, 5),
    prompt_tokens: integerAt(given, 6),
    completion_tokens: integerAt(given, 7),
    amount: -amount,
    usd: -integerAt(given, 8),
    rate: integerAt(given, 9),
  })
  return { rows: [{ number: entry['number'] }] }
}

function runUndo(given: Given) {
  const { tables } = given
  const [requestId, undoId, at] = [textAt(given, 1), textAt(given, 2), integerAt(given, 3)]
  const charged = tables.charges.get(requestId)
  const account = tables.accounts.get(String(charged?.['account_id']))
  const [amount, usd, rate] = [charged?.['amount'], charged?.['usd'], charged?.['rate']]
  const isWhole = typeof amount === 'bigint' && typeof usd === 'bigint'
  if (!isWhole || account === undefined || tables.charges.has(undoId)) return { rows: [] }
  move(account, -amount, 0n)
  addEntry(tables, account.id, { ...creditRow, request_id: undoId, at, amount: -amount, usd: -usd, rate })
  return { rows: [] }
}
