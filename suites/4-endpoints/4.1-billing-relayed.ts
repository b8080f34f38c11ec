import { costOf, expectSpent, spentAtLast, usageIn, withUsage } from '../../src/asking/billing.ts'
import { type Play, play, playWhenReady } from '../../src/asking/nodes/scripted-nodes.ts'
import { openTestAccount } from '../../src/asking/test-account.ts'
import { clause, must, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { writeDecimal } from '../../src/contract/price.ts'
import { at, numberAt } from '../../src/json.ts'
import { isSuccess } from '../../src/target/answer.ts'
import { type ChatBody, chatRequest } from '../../src/target/chat.ts'

const fragments = ['One ', 'two ', 'three ', 'four ', 'five ', 'six.']
const good = { fragments }
const failing = { status: 500 }
const endless = { fragments: Array.from({ length: 400 }, (_, at) => `word${at} `), timing: { firstToken: 1, gap: 25 } }
const noticedWithinMs = 5000

/** Far more than any tokeniser finds in `word399 `. */
const tokensPerWordMax = 8

/** A request whose reply follows a script. */
function following({ nodes }: CheckContext, { prompt }: Pick<Play, 'prompt'>, more: ChatBody = {}): ChatBody {
  return { model: nodes.model, messages: [{ role: 'user', content: prompt }], max_tokens: 4000, ...more }
}

/** Charges for nodes behind the gateway: that answered, that failed, and that were abandoned. */
export const billingRelayed = clause('4.1', [
  must('billing.relayed-is-charged', {
    states: ['billed-per-token', 'model-prices-apply'],
    needs: ['nodes', 'control'],
    dependsOn: ['billing.reply-charged', 'relay.reply-text-exact', 'relay.stream-text-exact'],
    sameCauseAs: ['relay.usage-of-its-own'],
    safe: false,
    cost: { requests: 2, tokens: 120 },
    wrong: "A reply or stream of an operator's node was not charged by its tokens.",
    why: "Whoever runs the gateway pays for an operator's work that is billed to nobody.",
    fix: 'Charge the counts that usage shows, whichever node wrote the reply.',
    async run(context) {
      const { model } = context.nodes
      const own = await play(context, good)
      const account = await openTestAccount(context)
      const reply = await account.pay(following(context, own))
      const cost = costOf(context, at(reply.json, 'usage'), model)
      await expectSpent(context, account, "a reply of an operator's node", cost, 1, reply)
      const stream = await account.payStream(following(context, own, withUsage))
      const usage = usageIn(stream)
      if (usage === undefined) throw context.undecidable('the stream shows no usage, so its price is not known')
      const both = cost + costOf(context, usage, model)
      await expectSpent(context, account, "a reply and a stream of an operator's node", both, 2, stream)
    },
  }),
  must('billing.second-try-is-charged-once', {
    states: ['charged-once'],
    needs: ['two-nodes', 'control'],
    dependsOn: ['billing.relayed-is-charged', 'relay.another-node-is-tried'],
    sameCauseAs: ['relay.usage-of-its-own'],
    phase: 'exclusive',
    safe: false,
    cost: { requests: 8, tokens: 480 },
    wrong: 'Replies while one of two nodes failed were not charged by their tokens, once each.',
    why: 'A client must not pay for the nodes that failed before one answered.',
    fix: 'Hold and charge once per request, outside the loop over its nodes.',
    async run(context) {
      const account = await openTestAccount(context)
      const own = await playWhenReady(context, [failing, good], true)
      let owed = 0n
      for (let turn = 1; turn <= 4; turn += 1) {
        // A unique prompt, which no cache knows.
        const prompt = `${own.prompt} Turn ${turn}.`
        const reply = await account.pay(following(context, { prompt }))
        owed += costOf(context, at(reply.json, 'usage'), context.nodes.model)
        await expectSpent(context, account, `${turn} replies while one of two nodes fails`, owed, turn, reply)
      }
      if ((await own.seen()).every(({ node }) => node % 2 === 1))
        throw context.undecidable('the gateway never asked the node that fails')
    },
  }),
  should('billing.failed-node-is-free', {
    states: ['refusals-are-free'],
    needs: ['nodes', 'control'],
    dependsOn: ['billing.relayed-is-charged', 'relay.early-failure-is-no-reply'],
    phase: 'exclusive',
    safe: false,
    cost: { requests: 4, tokens: 240 },
    wrong: 'A request whose nodes failed and one reply did not cost what the reply costs.',
    why: 'A client pays again for every retry when failures are billed.',
    fix: 'Release what was set aside when no node wrote a reply.',
    async run(context) {
      const { model } = context.nodes
      const account = await openTestAccount(context)
      const own = await playWhenReady(context, failing)
      const failed = await context.send(chatRequest(model, following(context, own), { key: account.key }))
      if (isSuccess(failed)) throw context.undecidable('the gateway turned a failure into a reply')
      const reply = await account.pay()
      const cost = costOf(context, at(reply.json, 'usage'), context.model)
      await expectSpent(context, account, 'a request whose nodes failed and one that was served', cost, 1, failed)
    },
  }),
  must('billing.left-node-is-paid-for-its-words', {
    states: ['left-streams-are-charged'],
    needs: ['nodes', 'control'],
    dependsOn: ['billing.relayed-is-charged', 'billing.abort-is-charged', 'relay.stream-left-is-cancelled'],
    sameCauseAs: ['usage.is-not-the-limit-streaming'],
    phase: 'exclusive',
    safe: false,
    cost: { requests: 4, tokens: 500 },
    wrong: 'A stream left early cost nothing, or more than its node had written.',
    why: 'A client that leaves after a line must not pay for the story that was never written.',
    fix: 'Charge the prompt and the words that the node had written when the client left, not the limit or the estimate.',
    async run(context) {
      const { nodes, prepared, expect, undecidable } = context
      const listed = prepared.roster.find(({ id }) => id === nodes.model)
      if ((listed?.completionPrice ?? 0) === 0)
        throw undecidable('the list names no completion price for the model of our nodes')
      const known = await playWhenReady(context, good)
      const whole = await context.ask(following(context, known))
      const promptTokens = numberAt(whole.json, 'usage', 'prompt_tokens')
      const shortTokens = numberAt(whole.json, 'usage', 'completion_tokens')
      if (promptTokens === undefined || shortTokens === undefined)
        throw undecidable('the reply does not count its tokens')
      const own = await playWhenReady(context, endless)
      const account = await openTestAccount(context)
      const stream = await account.payStream(following(context, own), { leaveAfterContent: 3 })
      const [seen] = await nodes.recordsWhen(own.id, noticedWithinMs, (all) =>
        all.some(({ outcome }) => outcome !== 'under-way'),
      )
      if (seen?.outcome !== 'closed-by-peer') throw undecidable('the node was not told that the client had left')
      // What a short reply counts besides its words, perhaps hidden tokens, may count here too.
      const completionTokens = shortTokens + (seen.chunksWritten + 1) * tokensPerWordMax
      const tokens = { prompt_tokens: promptTokens, completion_tokens: completionTokens }
      const most = costOf(context, tokens, nodes.model)
      const spent = await spentAtLast(context, account)
      expect(
        `USD spent on a stream of which the node wrote ${seen.chunksWritten} chunks`,
        writeDecimal(spent),
        stream,
      ).satisfies(`more than 0, at most ${writeDecimal(most)}`, spent > 0n && spent <= most)
    },
  }),
])
