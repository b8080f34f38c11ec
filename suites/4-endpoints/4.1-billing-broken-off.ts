import { setTimeout as sleep } from 'node:timers/promises'
import { costOf, expectSpent, spentAtLast, spentAtRest } from '../../src/asking/billing.ts'
import type { TestAccount } from '../../src/asking/test-account.ts'
import { openTestAccount } from '../../src/asking/test-account.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { type PicoUsd, tokensCost, writeDecimal } from '../../src/contract/price.ts'
import { at, numberAt } from '../../src/json.ts'
import { untilRight } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
import { contentChunks, isClientError, isSuccess } from '../../src/target/answer.ts'
import { chatRequest } from '../../src/target/chat.ts'

/** Concurrent requests, of which an account can pay three. */
const burst = 100

const longReply = {
  messages: [{ role: 'user', content: 'Write a long story about a ferry, with as many details as you can think of.' }],
  max_tokens: 400,
}

/** Enough text that it cannot count as nothing. */
const chunksRead = 20

/** Streams with a key of the account and leaves after some chunks; undecidable when the model says too little. */
async function abort(context: CheckContext, { payStream }: TestAccount, chunks = chunksRead) {
  const stream = await payStream(longReply, { leaveAfterContent: chunks })
  const received = contentChunks(stream).length
  if (received < chunks)
    throw context.undecidable(
      `the model's longest reply came in ${received} chunks, too few to leave a stream in the middle`,
    )
  return stream
}

/** The price of a token of the model in use; undecidable when the list names no price. */
function tokenPrice({ prepared, model, undecidable }: CheckContext): (tokens: number) => PicoUsd {
  const listed = prepared.roster.find(({ id }) => id === model)
  const price = Math.max(listed?.promptPrice ?? 0, listed?.completionPrice ?? 0)
  if (price === 0) throw undecidable('the list names no price above zero')
  return (tokens) => tokensCost(tokens, price)
}

export const billingBrokenOff = clause('4.1', [
  must('billing.abort-is-charged', {
    states: ['left-streams-are-charged'],
    needs: ['control'],
    dependsOn: ['billing.stream-charged'],
    safe: false,
    cost: { requests: 2, tokens: 900 },
    wrong: 'An abandoned stream was not charged.',
    why: 'The service is never paid by callers who close the connection before the last line.',
    fix: 'When the client leaves, charge the prompt and what was written, as when a stream ends.',
    async run(context) {
      tokenPrice(context)
      const account = await openTestAccount(context)
      const stream = await abort(context, account)
      const spent = await spentAtLast(context, account)
      context
        .expect(`USD spent on a stream abandoned after ${chunksRead} chunks`, writeDecimal(spent), stream)
        .satisfies('more than 0', spent > 0n)
    },
  }),
  must('billing.every-abort-is-charged', {
    states: ['left-streams-are-charged'],
    needs: ['control'],
    dependsOn: ['billing.abort-is-charged'],
    safe: false,
    cost: { requests: 4, tokens: 1800 },
    wrong: 'Four abandoned streams cost less than two and a half times one.',
    why: 'The service loses money when callers discover that some aborts are free.',
    fix: 'Charge every abandoned stream, also when a key abandons several at once.',
    async run(context) {
      const oneAndThree = async () => {
        const account = await openTestAccount(context)
        const one = await abort(context, account)
        const first = await spentAtLast(context, account)
        await Promise.all([abort(context, account), abort(context, account), abort(context, account)])
        const { spent } = await account.settled(first * 4n, 4)
        return { one, spent, least: (first * 5n) / 2n }
      }
      // Each delivered at least that many chunks; only chance has the first one go on for longer than the others.
      const { one, spent, least } = await untilRight(rules.slow, oneAndThree, (seen) => seen.spent >= seen.least)
      context
        .expect('USD spent on four abandoned streams', writeDecimal(spent), one)
        .satisfies(`at least ${writeDecimal(least)}`, spent >= least)
    },
  }),
  should('billing.abort-costs-no-more', {
    states: ['left-streams-are-charged'],
    needs: ['control'],
    dependsOn: ['billing.abort-is-charged'],
    safe: false,
    cost: { requests: 2, tokens: 600 },
    wrong: 'An abandoned stream cost more than its prompt and the whole of its limit.',
    why: 'A client that leaves early must not pay for more than a whole reply.',
    fix: 'Charge what was delivered, not what was reserved.',
    async run(context) {
      const price = tokenPrice(context)
      const { json } = await context.ask({ ...longReply, max_tokens: 1 })
      const promptTokens = numberAt(json, 'usage', 'prompt_tokens')
      if (promptTokens === undefined) throw context.undecidable('the reply does not count its prompt')
      const account = await openTestAccount(context)
      const stream = await abort(context, account)
      const spent = await spentAtLast(context, account)
      const most = price(promptTokens + longReply.max_tokens)
      context
        .expect('USD spent on an abandoned stream', writeDecimal(spent), stream)
        .satisfies(`at most ${writeDecimal(most)}`, spent <= most)
    },
  }),
  should('billing.abort-comes-to-rest', {
    states: ['left-streams-are-charged'],
    needs: ['control'],
    dependsOn: ['billing.abort-is-charged'],
    safe: false,
    cost: { requests: 1, tokens: 450 },
    wrong: 'The charge for an abandoned stream changed again later.',
    why: 'Customers cannot make sense of a charge that comes long after they left.',
    fix: 'Cancel the work when the client leaves, and settle at once.',
    async run(context) {
      const account = await openTestAccount(context)
      const stream = await abort(context, account)
      const early = await spentAtLast(context, account)
      await sleep(Math.min(1000, context.target.config.settlingMs))
      context
        .expect('USD spent on an abandoned stream a while later', writeDecimal(await account.spent()), stream)
        .satisfies(writeDecimal(early), (await account.spent()) === early)
    },
  }),
  open('billing.abort-before-content', {
    states: ['billing-record-open'],
    needs: ['control'],
    dependsOn: ['billing.stream-charged'],
    safe: false,
    cost: { requests: 1, tokens: 450 },
    why: 'Clients that race several gateways want to know whether they pay for the losers.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run(context) {
      const account = await openTestAccount(context)
      await account.payStream(longReply, { leaveAfterContent: 1 })
      return { usdSpent: writeDecimal(await spentAtRest(context, account)) }
    },
  }),
  should('billing.refusals-are-free', {
    states: ['refusals-are-free'],
    needs: ['control'],
    dependsOn: ['billing.reply-charged'],
    safe: false,
    cost: { requests: 8, tokens: 600 },
    wrong: 'Refusals and one reply did not cost what the reply costs, or nothing was refused.',
    why: 'A client must not pay for a refused request that delivered nothing.',
    fix: 'Charge only at the end of a request that was served.',
    async run(context) {
      const { send, model, expect } = context
      const account = await openTestAccount(context)
      const { key } = account
      const answers = [
        await send(chatRequest(model, { temperature: 9 }, { key })),
        await send(chatRequest(model, { messages: 'none' }, { key })),
        await send({ method: 'POST', path: '/chat/completions', body: '{"model":', key }),
        await send(chatRequest('assay-no-such-model', {}, { key })),
      ]
      const refused = answers.filter((answer) => !isSuccess(answer))
      expect('bad requests that were refused', refused.length).isAtLeast(1)
      if (answers.some((answer) => isSuccess(answer)))
        throw context.notApplicable('the gateway served a bad request, which another check reports')
      const reply = await account.pay()
      const cost = costOf(context, at(reply.json, 'usage'), model)
      await expectSpent(context, account, `${refused.length} refusals and one reply`, cost, 1, refused[0])
    },
  }),
  should('billing.limited-is-free', {
    states: ['refusals-are-free'],
    needs: ['control'],
    dependsOn: ['billing.reply-charged', 'key.limit-is-its-own'],
    safe: false,
    cost: { requests: 8, tokens: 400 },
    wrong: 'Replies and refusals by a limit did not cost what the replies cost.',
    why: 'A client that is told to wait must not pay for being told.',
    fix: 'Check the limits before taking anything from the account.',
    async run(context) {
      const { send, model } = context
      const account = await openTestAccount(context, { requestsPerMinute: 2 })
      const answers = []
      for (let turn = 0; turn < 6; turn += 1) answers.push(await send(chatRequest(model, {}, { key: account.key })))
      const served = answers.filter(isSuccess)
      if (served.length === answers.length) throw context.undecidable('the limit was not reached')
      const cost = served.reduce((sum, { json }) => sum + costOf(context, at(json, 'usage'), model), 0n)
      await expectSpent(
        context,
        account,
        `${served.length} replies and ${answers.length - served.length} refusals`,
        cost,
        served.length,
        answers.at(-1),
      )
    },
  }),
  should('billing.unavailable-is-free', {
    states: ['refusals-are-free'],
    needs: ['control', 'unavailable-model'],
    dependsOn: ['billing.reply-charged', 'unavailable.answers-503'],
    safe: false,
    cost: { requests: 4, tokens: 300 },
    wrong: 'Two refusals for lack of a node and one reply did not cost what the reply costs.',
    why: 'Clients repeat a 503 many times, and must not pay for any of them.',
    fix: 'Release what was set aside when no node can be found.',
    async run(context) {
      const { send, sendStream, model, target } = context
      const account = await openTestAccount(context)
      const gone = target.config.unavailableModel ?? ''
      const refused = [
        await send(chatRequest(gone, {}, { key: account.key })),
        await sendStream(chatRequest(gone, { stream: true }, { key: account.key })),
      ]
      const reply = await account.pay()
      await expectSpent(
        context,
        account,
        'two 503s and one reply',
        costOf(context, at(reply.json, 'usage'), model),
        1,
        refused[0],
      )
    },
  }),
  should('billing.no-overdraft', {
    states: ['no-overdraft'],
    needs: ['control', 'load'],
    dependsOn: ['billing.reply-charged', 'account.exhausted-is-refused'],
    phase: 'exclusive',
    safe: false,
    cost: { requests: burst + 4, tokens: 2000 },
    wrong: 'Concurrent requests overdrew the account, or none of them was refused.',
    why: 'The service loses money when a burst spends a balance that is checked and moved in two steps.',
    fix: 'Set aside the highest possible cost in the same step that checks the balance.',
    async run(context) {
      const { send, model, expect } = context
      const body = { max_tokens: 16 }
      const price = tokenPrice(context)
      const worst = price(16 + 60)
      // Enough for three requests of the highest possible cost, although many more are sent.
      const account = await openTestAccount(context, {}, writeDecimal(worst * 3n))
      const answers = await Promise.all(
        Array.from({ length: burst }, () => send({ ...chatRequest(model, body, { key: account.key }), burst: true })),
      )
      const served = answers.filter(isSuccess)
      const refused = answers.filter(isClientError)
      if (served.length === 0) throw context.undecidable(`none of ${burst} requests was served`)
      // Replies to one request may differ in length: each is charged by its own counts.
      const owed = served.reduce((sum, reply) => sum + costOf(context, at(reply.json, 'usage'), model), 0n)
      const { spent } = await account.settled(owed, served.length)
      const left = worst * 3n - (spent > owed ? spent : owed)
      expect(`USD left after ${burst} concurrent requests`, writeDecimal(left), served.at(-1)).satisfies(
        `no less than one request's worst case below 0 (-${writeDecimal(worst)})`,
        left >= -worst,
      )
      if (refused.length === 0 && answers.some(({ status }) => status === undefined || status === 503))
        throw context.undecidable('requests were refused for the moment')
      if (refused.length === 0 && owed <= worst * 3n)
        throw context.undecidable(`the replies cost so little that the account could pay all ${burst}`)
      expect('requests that were refused', refused.length, refused[0]).isAtLeast(1)
    },
  }),
])
