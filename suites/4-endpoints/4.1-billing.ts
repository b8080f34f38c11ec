import { setTimeout as sleep } from 'node:timers/promises'
import {
  costOf,
  expectSpent,
  paidBodies,
  spentAtLast,
  spentBeyond,
  usageIn,
  usageOf,
  withUsage,
} from '../../src/asking/billing.ts'
import { openTestAccount, secondChargeMs } from '../../src/asking/test-account.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import { readDecimal, tokensCost, writeDecimal } from '../../src/contract/price.ts'
import { at } from '../../src/json.ts'
import { eventually } from '../../src/repeat/eventually.ts'
import { chatRequest } from '../../src/target/chat.ts'

export const billing = clause('4.1', [
  must('billing.reply-charged', {
    states: ['billed-per-token'],
    needs: ['control'],
    dependsOn: ['key.works-at-once', 'usage.present'],
    safe: false,
    cost: { requests: 6, tokens: 700 },
    wrong: 'A reply did not cost its tokens at the listed price.',
    why: "A charge that differs from the list price costs the service money or the customer's trust.",
    fix: "Charge usage.prompt_tokens and usage.completion_tokens at the model's listed prices, once, without rounding.",
    async run(context) {
      for (const body of paidBodies) {
        const account = await openTestAccount(context)
        const reply = await account.pay(body)
        await expectSpent(
          context,
          account,
          'one reply',
          costOf(context, at(reply.json, 'usage'), context.model),
          1,
          reply,
        )
      }
    },
  }),
  must('billing.each-model-at-its-price', {
    states: ['billed-per-token', 'model-prices-apply'],
    needs: ['control'],
    dependsOn: ['billing.reply-charged', 'billing.stream-as-reply', 'models.pricing'],
    safe: false,
    cost: { requests: 12, tokens: 900 },
    wrong: "A model's replies or streams did not cost what the list says.",
    why: 'Customers pay the wrong price for all models but one when all are charged alike.',
    fix: 'Look up the price by the model that served the request, in the same place as the list does.',
    async run(context) {
      const { prepared } = context
      for (const { id } of prepared.roster.slice(0, 5)) {
        const account = await openTestAccount(context)
        const reply = await account.pay({ max_tokens: 24 }, id)
        const cost = costOf(context, at(reply.json, 'usage'), id)
        await expectSpent(context, account, `a reply of ${id}`, cost, 1, reply)
        if (cost === 0n) continue
        const stream = await account.payStream({ model: id, max_tokens: 24, ...withUsage })
        const spent = await spentBeyond(context, account, cost)
        context
          .expect(`USD spent on a reply and a stream of ${id}`, writeDecimal(spent), stream)
          .satisfies(`more than ${writeDecimal(cost)}`, spent > cost)
        const usage = usageIn(stream)
        if (usage === undefined) continue
        const both = cost + costOf(context, usage, id)
        await expectSpent(context, account, `a reply and a stream of ${id}`, both, 2, stream)
      }
      const account = await openTestAccount(context)
      const ids = prepared.roster.slice(0, 5).map(({ id }) => id)
      let sum = 0n
      for (const id of ids) sum += costOf(context, at((await account.pay({ max_tokens: 24 }, id)).json, 'usage'), id)
      await expectSpent(context, account, 'replies of several models with one key', sum, ids.length)
    },
  }),
  must('billing.stream-charged', {
    states: ['billed-per-token'],
    needs: ['control'],
    dependsOn: ['billing.reply-charged', 'stream.answers'],
    safe: false,
    cost: { requests: 6, tokens: 700 },
    wrong: 'A stream was not counted, or did not cost its tokens at the listed price.',
    why: 'The service gives away most of the traffic when streams are metered as zero.',
    fix: 'Count the tokens of a stream as they pass, and charge them when it ends.',
    async run(context) {
      const { expect } = context
      for (const body of paidBodies) {
        const account = await openTestAccount(context)
        const stream = await account.payStream({ ...body, ...withUsage })
        const usage = usageIn(stream)
        if (usage === undefined) {
          // Without a count in the stream, compare with the key's own count.
          await spentAtLast(context, account)
          const { promptTokens, completionTokens } = await usageOf(context, account.keyId, 1)
          expect('completion tokens counted for a stream', completionTokens, stream).isAtLeast(
            stream.content === '' ? 0 : 1,
          )
          const counted = { prompt_tokens: promptTokens, completion_tokens: completionTokens }
          await expectSpent(context, account, 'one stream', costOf(context, counted, context.model), 1, stream)
        } else await expectSpent(context, account, 'one stream', costOf(context, usage, context.model), 1, stream)
      }
    },
  }),
  must('billing.stream-as-reply', {
    states: ['billed-per-token'],
    needs: ['control'],
    dependsOn: ['billing.reply-charged', 'billing.stream-charged'],
    safe: false,
    cost: { requests: 4, tokens: 300 },
    wrong: 'A stream did not cost what a reply of the same text costs.',
    why: 'A client must not pay more, or nothing, because the same words came in pieces.',
    fix: 'Use one counter and one price for both modes.',
    async run(context) {
      const body = { ...paidBodies[0], temperature: 0, seed: 7 }
      const accounts = await Promise.all([openTestAccount(context), openTestAccount(context), openTestAccount(context)])
      const [first, second, third] = accounts
      const [one, two] = [await first.pay(body), await second.pay(body)]
      const stream = await third.payStream(body)
      const cost = costOf(context, at(one.json, 'usage'), context.model)
      const text = at(one.json, 'choices', 0, 'message', 'content')
      if (text !== at(two.json, 'choices', 0, 'message', 'content') || text !== stream.content)
        throw context.undecidable('the model answers the same request differently, so its modes cannot be compared')
      await expectSpent(context, third, 'a stream of the same text', cost, 1, stream)
    },
  }),
  must('billing.sums-exactly', {
    states: ['billed-per-token'],
    needs: ['control'],
    dependsOn: ['billing.reply-charged', 'billing.stream-charged'],
    safe: false,
    cost: { requests: 12, tokens: 1500 },
    wrong: 'Concurrent replies did not cost the sum of their prices.',
    why: 'The service loses money exactly when it is busy if charges overwrite each other.',
    fix: 'Subtract a cost from the balance in one step, never write back a computed balance.',
    async run(context) {
      const account = await openTestAccount(context)
      const replies = await Promise.all(
        Array.from({ length: 12 }, (_, turn) => account.pay({ ...paidBodies[turn % paidBodies.length] })),
      )
      const cost = replies.reduce((sum, { json }) => sum + costOf(context, at(json, 'usage'), context.model), 0n)
      await expectSpent(context, account, '12 concurrent replies', cost, 12, replies[0])
    },
  }),
  must('billing.keys-share-the-account', {
    states: ['billed-per-token', 'several-keys'],
    needs: ['control'],
    dependsOn: ['billing.reply-charged'],
    safe: false,
    cost: { requests: 2, tokens: 120 },
    wrong: 'Requests with two keys of an account did not cost the sum of both.',
    why: 'The service gives away whatever a second key spends from no account.',
    fix: 'Charge the account, whichever of its keys was used.',
    async run(context) {
      const { send, model } = context
      const account = await openTestAccount(context)
      const reply = await account.pay({ max_tokens: 4 })
      const other = await account.anotherKey()
      const second = await send(chatRequest(model, paidBodies[0] ?? {}, { key: other.key }))
      if (second.status !== 200) throw context.undecidable(`the second key was answered with ${second.status}`)
      const cost = [reply, second].reduce((sum, { json }) => sum + costOf(context, at(json, 'usage'), model), 0n)
      await expectSpent(context, account, 'two keys', cost, 2, second)
    },
  }),
  must('billing.one-charge-a-request', {
    states: ['charged-once'],
    needs: ['control'],
    dependsOn: ['billing.reply-charged'],
    safe: false,
    cost: { requests: 5, tokens: 400 },
    wrong: 'Three requests left more or fewer than three charges, or share a request id.',
    why: 'Customers count their requests wrongly when one has two entries, even if the sum is right.',
    fix: 'End each request in exactly one entry, whatever was retried for it.',
    async run(context) {
      const { control, expect, target } = context
      const account = await openTestAccount(context)
      const replies = [
        await account.pay(),
        await account.pay({ max_tokens: 2 }),
        await account.payStream({ max_tokens: 6, ...withUsage }),
      ]
      const chargesOf = async () => (await control.entries(account.accountId)).filter(({ kind }) => kind === 'charge')
      await eventually({ withinMs: target.config.settlingMs }, chargesOf, ({ length }) => length >= 3)
      await sleep(secondChargeMs)
      const charges = await chargesOf()
      expect('charges of three requests', charges.length, replies[0]).is(3)
      const ids = charges.map(({ requestId }) => requestId).filter((id) => id !== undefined)
      expect('different request ids among the charges', new Set(ids).size, replies[0]).is(ids.length)
    },
  }),
  should('billing.entries-are-the-balance', {
    states: ['books-balance'],
    needs: ['control'],
    dependsOn: ['billing.reply-charged'],
    safe: false,
    cost: { requests: 3, tokens: 200 },
    wrong: 'The entries of an account do not add up to its balance.',
    why: 'Nobody can audit a balance that its entries do not explain.',
    fix: 'Derive the balance from the entries, or change both in one step.',
    async run(context) {
      const { control, expect, target } = context
      const account = await openTestAccount(context)
      const replies = [await account.pay(), await account.pay({ max_tokens: 3 })]
      await account.credit('0.25')
      const cost = replies.reduce((sum, { json }) => sum + costOf(context, at(json, 'usage'), context.model), 0n)
      await account.settled(cost, 2)
      const booksOf = async () => {
        const entries = await control.entries(account.accountId)
        const { balanceUsd } = await control.account(account.accountId)
        const sum = entries.reduce((total, { amountUsd }) => total + (readDecimal(amountUsd) ?? 0n), 0n)
        const apart = sum - (readDecimal(balanceUsd) ?? 0n)
        return { sum, balanceUsd, agree: apart <= BigInt(entries.length) && -apart <= BigInt(entries.length) }
      }
      const books = await eventually({ withinMs: target.config.settlingMs }, booksOf, ({ agree }) => agree)
      expect('the sum of the entries in USD', writeDecimal(books.sum), replies[0]).satisfies(
        `the balance of ${books.balanceUsd}`,
        books.agree,
      )
    },
  }),
  should('billing.nothing-stays-held', {
    states: ['holds-end'],
    needs: ['control'],
    dependsOn: ['billing.reply-charged', 'stream.answers'],
    safe: false,
    cost: { requests: 8, tokens: 900 },
    wrong: 'Money stayed held although no request was in flight.',
    why: 'Customers cannot spend money that stays set aside, although their balance looks fine.',
    fix: 'End every hold, however its request ended: complete, refused, broken off or abandoned.',
    async run(context) {
      const { control, expect, sendStream, send, model, target } = context
      const account = await openTestAccount(context)
      const { key } = account
      await account.pay()
      await account.payStream({ max_tokens: 8 })
      await send(chatRequest(model, { ...paidBodies[0], temperature: 9 }, { key }))
      if (target.config.unavailableModel !== undefined)
        for (const stream of [false, true])
          await send(chatRequest(target.config.unavailableModel, { ...paidBodies[0], stream }, { key }))
      const long = { ...paidBodies[0], max_tokens: 400, stream: true }
      const left = await sendStream(chatRequest(model, long, { key }), { leaveAfterContent: 2 })
      const { heldUsd } = await eventually(
        { withinMs: target.config.settlingMs },
        () => control.account(account.accountId),
        (books) => (readDecimal(books.heldUsd) ?? 0n) === 0n,
      )
      expect('USD held with no request in flight', heldUsd, left).satisfies('0', readDecimal(heldUsd) === 0n)
    },
  }),
  open('billing.precision', {
    states: ['billing-record-open'],
    needs: ['control'],
    dependsOn: ['billing.reply-charged'],
    safe: false,
    cost: { requests: 1, tokens: 60 },
    why: 'What a client pays for a very short request depends on the smallest amount in the books.',
    fix: 'Nothing to mend: the contract names no unit.',
    async run(context) {
      const { control, prepared, model } = context
      const { pay, accountId } = await openTestAccount(context)
      await pay({ max_tokens: 1 })
      const { balanceUsd } = await control.account(accountId)
      const price = prepared.roster.find(({ id }) => id === model)?.promptPrice
      return { balanceUsd, usdOfOneToken: price === undefined ? null : writeDecimal(tokensCost(1, price)) }
    },
  }),
])
