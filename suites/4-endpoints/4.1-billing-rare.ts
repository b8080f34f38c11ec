import { costOf, expectSpent, withUsage } from '../../src/check/billing.ts'
import { clause, must } from '../../src/check/check.ts'
import { askingBytes, bytesThatFit } from '../../src/check/large-prompt.ts'
import { chatPath, chatText } from '../../src/target/chat.ts'
import { at, numberAt, parseJson } from '../../src/target/json.ts'
import { parseRawMessages } from '../../src/wire/raw-message.ts'

/** More than two bytes can count. */
const manyTokens = 70_000

export const billingRare = clause('4.1', [
  must('billing.large-prompt-charged', {
    states: ['billed-per-token'],
    needs: ['control'],
    dependsOn: ['billing.reply-charged', 'window.large-body-accepted'],
    safe: false,
    cost: { requests: 2, tokens: 73_000 },
    why: 'A counter that is too small gives the dearest prompts away.',
    fix: 'Charge the count that usage shows, in numbers that hold it.',
    async run(context) {
      const purse = await context.purse()
      const size = await bytesThatFit(context, manyTokens)
      const reply = await purse.pay(askingBytes(size))
      await expectSpent(
        context,
        purse,
        `a prompt of ${size} bytes`,
        costOf(context, at(reply.json, 'usage'), context.model),
        1,
        reply,
      )
    },
  }),
  must('billing.long-stream-charged', {
    states: ['billed-per-token'],
    needs: ['control'],
    dependsOn: ['billing.stream-charged'],
    safe: false,
    cost: { requests: 1, tokens: 1000 },
    why: 'Bills that are settled on the way, and once more at the end, are wrong for long replies alone.',
    fix: 'Charge the whole count once, when the stream ends.',
    async run(context) {
      const purse = await context.purse()
      const messages = [{ role: 'user', content: 'Tell the story of a lighthouse in 450 words.' }]
      const stream = await purse.payStream({ messages, max_tokens: 2000, ...withUsage })
      const usage = stream.chunks.map(({ json }) => at(json, 'usage')).findLast((one) => numberAt(one, 'total_tokens'))
      if (usage === undefined) throw context.undecidable('the stream shows no usage, so its price is not known')
      await expectSpent(context, purse, 'a long stream', costOf(context, usage, context.model), 1, stream)
    },
  }),
  must('billing.chunked-request-charged', {
    states: ['billed-per-token'],
    needs: ['control'],
    dependsOn: ['billing.reply-charged', 'http.chunked-request'],
    safe: false,
    cost: { requests: 1, tokens: 60 },
    why: 'A meter that goes by Content-Length sees nothing of a body that has none.',
    fix: 'Meter what the node reports, not what the head of the request says.',
    async run(context) {
      const { converse, rawHead, model, undecidable } = context
      const purse = await context.purse()
      const body = chatText(model, { messages: [{ role: 'user', content: 'Describe a lighthouse.' }], max_tokens: 24 })
      const head = rawHead('POST', chatPath, [
        ['Authorization', `Bearer ${purse.key}`],
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
      await expectSpent(context, purse, 'a reply to a chunked request', cost, 1)
    },
  }),
])
