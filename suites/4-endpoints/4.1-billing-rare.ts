import { costOf, expectSpent, spentAtLast, usageIn, usageOf, withUsage } from '../../src/asking/billing.ts'
import { askingBytes, bytesThatFit } from '../../src/asking/large-prompt.ts'
import { openTestAccount } from '../../src/asking/test-account.ts'
import { clause, must } from '../../src/check/check.ts'
import { writeDecimal } from '../../src/contract/price.ts'
import { at, numberAt, parseJson } from '../../src/json.ts'
import { chatPath, chatText } from '../../src/target/chat.ts'
import { parseRawMessages } from '../../src/wire/raw-message.ts'

/** More than two bytes can count. */
const manyTokens = 70_000

export const billingRare = clause('4.1', [
  must('billing.large-prompt-charged', {
    states: ['billed-per-token'],
    phase: 'odd',
    needs: ['control', 'costly'],
    dependsOn: ['billing.reply-charged', 'window.large-body-accepted', 'key.usage-is-counted'],
    safe: false,
    cost: { requests: 2, tokens: 73_000 },
    wrong: "The charge or the key's usage for a large prompt does not match its tokens.",
    why: 'The service gives away the most expensive prompts when a counter is too small.',
    fix: 'Charge the count that usage shows, in a number type that can hold it.',
    async run(context) {
      const account = await openTestAccount(context)
      const size = await bytesThatFit(context, manyTokens)
      const reply = await account.pay(askingBytes(size))
      await expectSpent(
        context,
        account,
        `a prompt of ${size} bytes`,
        costOf(context, at(reply.json, 'usage'), context.model),
        1,
        reply,
      )
      const { promptTokens } = await usageOf(context, account.keyId, 1)
      const counted = numberAt(reply.json, 'usage', 'prompt_tokens') ?? 0
      context.expect('prompt tokens that the usage of the key shows', promptTokens, reply).is(counted)
    },
  }),
  must('billing.long-stream-charged', {
    states: ['billed-per-token'],
    needs: ['control'],
    dependsOn: ['billing.stream-charged'],
    safe: false,
    cost: { requests: 2, tokens: 2000 },
    wrong: 'A long stream, or a long reply after it, was not charged by its tokens.',
    why: 'Clients pay twice for long replies that are charged along the way and again at the end.',
    fix: 'Charge the whole count once, when the stream ends.',
    async run(context) {
      const account = await openTestAccount(context)
      const messages = [{ role: 'user', content: 'Tell the story of a lighthouse in 450 words.' }]
      const stream = await account.payStream({ messages, max_tokens: 2000, ...withUsage })
      const usage = usageIn(stream)
      if (usage === undefined) throw context.undecidable('the stream shows no usage, so its price is not known')
      const cost = costOf(context, usage, context.model)
      await expectSpent(context, account, 'a long stream', cost, 1, stream)
      const reply = await account.pay({ messages, max_tokens: 2000 })
      const both = cost + costOf(context, at(reply.json, 'usage'), context.model)
      await expectSpent(context, account, 'a long stream and a long reply', both, 2, reply)
    },
  }),
  must('billing.deleted-key-still-pays', {
    states: ['billed-per-token'],
    needs: ['control'],
    dependsOn: ['billing.stream-charged', 'key.deleted-is-refused-at-once'],
    safe: false,
    cost: { requests: 1, tokens: 330 },
    wrong: 'A whole stream whose key was deleted was not charged.',
    why: 'The service would work for nothing when a caller deletes a key during its stream.',
    fix: 'Settle a request from what was set aside at its start, whatever happened to its key.',
    async run(context) {
      const { control, expect, model, prepared, notApplicable } = context
      const price = prepared.roster.find(({ id }) => id === model)?.completionPrice
      if (price === undefined || price === 0) throw notApplicable('the list names no price above zero')
      const account = await openTestAccount(context)
      const messages = [{ role: 'user', content: 'Tell the story of a lighthouse in 150 words.' }]
      const underWay = Promise.withResolvers<void>()
      const paid = account.payStream({ messages, max_tokens: 300 }, { onFirstContent: underWay.resolve })
      await Promise.race([underWay.promise, paid])
      await control.deleteKey(account.keyId)
      const stream = await paid
      if (!stream.done) throw notApplicable('a stream ends when its key is deleted')
      if (stream.content === '') throw notApplicable('the stream whose key was deleted has no text to pay for')
      const spent = await spentAtLast(context, account)
      expect('USD spent on a whole stream whose key was deleted', writeDecimal(spent), stream).satisfies(
        'more than 0',
        spent > 0n,
      )
    },
  }),
  must('billing.chunked-request-charged', {
    states: ['billed-per-token'],
    phase: 'odd',
    needs: ['control'],
    dependsOn: ['billing.reply-charged', 'http.chunked-request'],
    safe: false,
    cost: { requests: 1, tokens: 60 },
    wrong: 'The reply to a chunked request was not charged by its tokens.',
    why: 'The service gives away chunked requests when the meter goes by Content-Length.',
    fix: "Meter what the node reports, not what the request's headers say.",
    async run(context) {
      const { converse, rawHead, model, undecidable } = context
      const account = await openTestAccount(context)
      const body = chatText(model, { messages: [{ role: 'user', content: 'Describe a lighthouse.' }], max_tokens: 24 })
      const head = rawHead('POST', chatPath, [
        ['Authorization', `Bearer ${account.key}`],
        ['Content-Type', 'application/json'],
        ['Transfer-Encoding', 'chunked'],
      ])
      const request = `${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
      const { arrivals } = await converse([Buffer.from(request, 'latin1')], (received) =>
        parseRawMessages(received).some(({ whole }) => whole),
      )
      const [message] = parseRawMessages(Buffer.concat(arrivals.map(({ bytes }) => bytes)))
      if (message?.status !== 200) throw undecidable(`a chunked request was answered with ${message?.status}`)
      const cost = costOf(context, at(parseJson(message.body.toString()), 'usage'), model)
      await expectSpent(context, account, 'a reply to a chunked request', cost, 1)
    },
  }),
])
