import { modelDue } from '../../src/asking/model-due.ts'
import { openTestAccount } from '../../src/asking/test-account.ts'
import { clause, must, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { decimalsOf, lastUnit, readDecimal, writeDecimal } from '../../src/contract/price.ts'
import { numberAt } from '../../src/json.ts'
import { eventually } from '../../src/repeat/eventually.ts'
import type { KeyUsage, LedgerEntry } from '../../src/target/control/answers.ts'

interface Books {
  readonly usage: KeyUsage
  readonly charges: readonly LedgerEntry[]
}

interface Account {
  readonly accountId: string
  readonly keyId: string
}

/** The usage of a key and the charges of its account, once `shown` accepts them or the settling time is over. */
async function booksOf(
  { control, target }: CheckContext,
  { keyId, accountId }: Account,
  shown: (books: Books) => boolean,
): Promise<Books> {
  const look = async (): Promise<Books> => {
    const charges = (await control.entries(accountId)).filter(({ kind }) => kind === 'charge')
    return { usage: await control.keyUsage(keyId), charges }
  }
  return eventually({ withinMs: target.config.settlingMs }, look, shown)
}

const sumOf = (counts: readonly (number | undefined)[]): number =>
  counts.reduce<number>((sum, count) => sum + (count ?? Number.NaN), 0)

/** Whether two values are equal, or one of them is not given. */
function agree<T>(shown: T | undefined, due: T | undefined): boolean {
  return shown === undefined || due === undefined || shown === due
}

/** What a key shows against what its account was charged. */
export const keyBooks = clause('2.6', [
  must('key.usage-is-what-was-charged', {
    states: ['key-own-usage'],
    needs: ['control'],
    dependsOn: ['key.usage-counts-streams', 'billing.one-charge-a-request', 'billing.abort-is-charged'],
    safe: false,
    cost: { requests: 4, tokens: 900 },
    wrong: "A key's usage does not match what its account was charged.",
    why: 'Customers dispute every bill that differs from the usage they are shown.',
    fix: 'Record the charge and the usage of a request in one step, from the same numbers.',
    async run(context) {
      const { expect } = context
      const account = await openTestAccount(context)
      const stopped = { messages: [{ role: 'user', content: 'Write two sentences about the sea.' }], max_tokens: 200 }
      const reply = await account.pay({ ...stopped, stop: ['. ', '\n'] })
      await account.payStream({ max_tokens: 12 })
      const story = { messages: [{ role: 'user', content: 'Tell a long story about a ferry.' }], max_tokens: 400 }
      await account.payStream(story, { leaveAfterContent: 12 })
      const { usage, charges } = await booksOf(
        context,
        account,
        (books) => Math.min(books.usage.requests, books.charges.length) >= 3,
      )
      if (charges.length < 2) throw context.undecidable('the account does not show the charges of two requests')
      const charged = charges.reduce((sum, { amountUsd }) => sum - (readDecimal(amountUsd) ?? 0n), 0n)
      const shown = readDecimal(usage.costUsd) ?? 0n
      const tolerance = lastUnit(decimalsOf(usage.costUsd)) * BigInt(charges.length + 1)
      const isExact = shown - charged <= tolerance && charged - shown <= tolerance && (shown > 0n || charged === 0n)
      expect('USD shown by the usage of a key', usage.costUsd, reply).satisfies(
        `what its account was charged: ${writeDecimal(charged)}`,
        isExact,
      )
      expect('requests shown by the usage of a key', usage.requests, reply).is(charges.length)
      const prompts = sumOf(charges.map(({ promptTokens }) => promptTokens))
      const completions = sumOf(charges.map(({ completionTokens }) => completionTokens))
      if (Number.isNaN(prompts + completions)) return
      expect('prompt tokens shown by the usage of a key', usage.promptTokens, reply).is(prompts)
      expect('completion tokens shown by the usage of a key', usage.completionTokens, reply).is(completions)
    },
  }),
  should('billing.entries-say-what-for', {
    states: ['books-balance'],
    needs: ['control'],
    dependsOn: ['billing.one-charge-a-request', 'billing.each-model-at-its-price'],
    safe: false,
    cost: { requests: 3, tokens: 120 },
    wrong: "No ledger entry matches a request's key, model and token counts.",
    why: 'Customers cannot explain a charge whose entry names another key, model or count.',
    fix: 'Write the key, model and counts of its own request into each entry.',
    async run(context) {
      const { expect, prepared, model } = context
      const account = await openTestAccount(context)
      const second = await account.anotherKey()
      const other = prepared.roster.find(({ id }) => id !== model)?.id ?? model
      const first = await account.pay({ max_tokens: 3 })
      const long = { messages: [{ role: 'user', content: 'Say hello to everybody in this room, please.' }] }
      const replies = [
        { keyId: account.keyId, model, reply: first },
        { keyId: account.keyId, model: other, reply: await account.pay({ ...long, max_tokens: 2 }, other) },
        { keyId: second.id, model, reply: await context.ask({ max_tokens: 4 }, { key: second.key }) },
      ]
      const { charges } = await booksOf(context, account, (books) => books.charges.length >= replies.length)
      const isItemized = charges.some(
        (entry) => entry.keyId ?? entry.model ?? entry.promptTokens ?? entry.completionTokens,
      )
      if (!isItemized) throw context.notApplicable('entries name only their amount')
      for (const { keyId, model: asked, reply } of replies) {
        const due = {
          keyId,
          model: asked,
          promptTokens: numberAt(reply.json, 'usage', 'prompt_tokens'),
          completionTokens: numberAt(reply.json, 'usage', 'completion_tokens'),
        }
        const isOf = (entry: LedgerEntry): boolean =>
          agree(entry.keyId, due.keyId) &&
          agree(entry.model, modelDue({ model: asked }, entry.model, prepared)) &&
          agree(entry.promptTokens, due.promptTokens) &&
          agree(entry.completionTokens, due.completionTokens)
        expect(`entries that match ${JSON.stringify(due)}`, charges.filter(isOf).length, reply).isAtLeast(1)
      }
    },
  }),
])
