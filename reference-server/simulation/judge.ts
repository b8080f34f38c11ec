import type { Entry, Store } from '../store/store.ts'
import type { Asked, OwnedAccount, Scene } from './scene.ts'

/** Pico-dollars for a token, which are units of the account at a dollar a unit. */
const priceOf = ({ model }: Asked): bigint => BigInt(Math.round(model.price * 1_000_000))

const costOf = (asked: Asked, completionTokens: number): bigint =>
  BigInt(asked.promptTokens + completionTokens) * priceOf(asked)

/** What is wrong with the books once all has come to rest. `mayLose` says whether a charge of the request may be missing. */
export async function judgeBooks(scene: Scene, store: Store, mayLose: (asked: Asked) => boolean): Promise<void> {
  for (const account of scene.accounts) await judgeAccount(scene, store, account, mayLose)
  for (const asked of scene.asked) judgeAnswer(scene, asked)
}

async function judgeAccount(
  { problems, asked, say }: Scene,
  store: Store,
  { id, credits }: OwnedAccount,
  mayLose: (asked: Asked) => boolean,
): Promise<void> {
  const account = await store.account(id)
  const entries = await store.entries(id, 0, 10_000)
  for (const { number, kind, amount, requestId } of entries)
    say?.(`entry ${number}: ${kind} ${amount} ${requestId ?? ''}`)
  const sum = entries.reduce((total, { amount }) => total + amount, 0n)
  if (account === undefined) problems.push('an account is gone')
  else {
    if (account.held !== 0n) problems.push(`${account.held} are still held`)
    if (account.balance !== sum) problems.push(`the balance is ${account.balance}, its entries make ${sum}`)
    if (account.balance < 0n) problems.push(`the account owes ${-account.balance}`)
  }
  if (entries.some(({ number }, at) => number !== at + 1)) problems.push('the entries are not numbered from 1 on')
  const rest = new Map(Map.groupBy(entries, ({ requestId = '' }) => requestId))
  const undone = judgeCredits(problems, credits, rest.get('') ?? [])
  rest.delete('')
  for (const one of asked) {
    const own = one.requestId === undefined ? [] : (rest.get(one.requestId) ?? [])
    if (one.requestId !== undefined && own.length > 0) rest.delete(one.requestId)
    if (one.key.account.id === id) judgeCharge(problems, one, own, undone, mayLose(one))
    else if (own.length > 0) problems.push(`request ${one.number} was charged to another account`)
  }
  if (undone.length > 0) problems.push(`credits of ${undone.join()} came from nobody`)
  for (const entriesOfNobody of rest.values()) {
    const sumOfNobody = entriesOfNobody.reduce((total, { amount }) => total + amount, 0n)
    if (sumOfNobody !== 0n) problems.push(`a request that nobody knows changed the balance by ${sumOfNobody}`)
  }
}

/** Returns the credits that nobody paid in: each must undo a charge. */
function judgeCredits(problems: string[], credits: OwnedAccount['credits'], entries: readonly Entry[]): bigint[] {
  const booked = entries.map(({ amount }) => amount as bigint)
  for (const { units, isSure } of credits) {
    const times = booked.filter((one) => one === units).length
    if (times > 1 || (isSure && times === 0 && units > 0n))
      problems.push(`a credit of ${units} is in the books ${times} times`)
  }
  return booked.filter((one) => !credits.some(({ units }) => units === one))
}

function judgeCharge(
  problems: string[],
  asked: Asked,
  entries: readonly Entry[],
  undone: bigint[],
  mayLose: boolean,
): void {
  let charged = -entries.reduce((total, { amount }) => total + amount, 0n)
  const undo = asked.received === 0 ? undone.indexOf(charged) : -1
  if (undo >= 0) charged -= undone.splice(undo, 1)[0] ?? 0n
  const due = costOf(asked, asked.received)
  const problem = (what: string): void => void problems.push(`request ${asked.number} ${what}`)
  if (entries.length > 1) problem(`has ${entries.length} entries`)
  if (asked.isWhole) {
    if (charged !== due) problem(`was answered whole and paid ${charged} instead of ${due}`)
  } else if (charged !== 0n) judgePart(problem, asked, charged, due)
  else if (asked.received > 0 && !mayLose) problem(`got ${asked.received} tokens for nothing`)
}

/** A charge without a whole reply: the client left, or the reply broke off after some of it was paid for. */
function judgePart(problem: (what: string) => void, asked: Asked, charged: bigint, due: bigint): void {
  const most = costOf(asked, asked.tokensMax)
  if (asked.hasLeft || asked.process.life.isOver || asked.received > 0) {
    if (charged < due || charged > most) problem(`paid ${charged} for a part, not ${due} to ${most}`)
  } else problem(`paid ${charged} and got nothing but ${asked.status} ${asked.code ?? ''}`)
}

/** What a client must never see, whatever fails behind the gateway. */
function judgeAnswer({ problems, timeline }: Scene, asked: Asked): void {
  const { number, status, code, isOver, process, key } = asked
  if (!isOver && !process.life.isOver) problems.push(`request ${number} is still under way at ${timeline.nowMs()} ms`)
  if (status === undefined || status === 200) return
  const isPlain =
    (status === 401 && key.isDeleting) ||
    (status === 402 && !key.account.isRich) ||
    (status === 429 && hasLimits(key.record)) ||
    (status === 503 && (code === 'store_unavailable' || code === 'model_unavailable'))
  if (!isPlain) problems.push(`request ${number} was told ${status} ${code}`)
}

function hasLimits({ requestsPerMinute, tokensPerMinute }: Asked['key']['record']): boolean {
  return requestsPerMinute !== undefined || tokensPerMinute !== undefined
}
