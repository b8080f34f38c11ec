import { anyExchange } from '../../src/asking/marked/any-exchange.ts'
import {
  askMarked,
  expectAnswered,
  expectApart,
  expectAsked,
  expectLongerPrompt,
  modes,
  type Relayed,
} from '../../src/asking/marked/ask-marked.ts'
import { type MarkedExchange, markedExchanges, scriptOf } from '../../src/asking/marked/marked-exchange.ts'
import { play, playWhenReady } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, must } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { eventually } from '../../src/repeat/eventually.ts'
import { inTurnUntil } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
import { isRefusedForNow, isSuccess } from '../../src/target/answer.ts'

/** What must hold before an exchange as a whole says more. */
const roots = [
  'relay.temperature-unchanged',
  'relay.top-p-unchanged',
  'relay.max-tokens-unchanged',
  'relay.stop-unchanged',
  'relay.messages-unchanged',
  'relay.unicode-unchanged',
  'relay.nothing-invented',
  'relay.stream-text-exact',
  'relay.finish-reason',
  'relay.empty-text',
] as const

const failing = { status: 500 }

/** Asks each exchange in both modes, one after the other, so many times, and compares both sides. */
async function expectInTurn(context: CheckContext, round: number, times: number, when: string): Promise<void> {
  const plays = await Promise.all(
    markedExchanges(round).map(async (exchange) => ({ exchange, own: await play(context, scriptOf(exchange)) })),
  )
  const all: Relayed[] = []
  // One mode after the other, so that each request differs from the one before.
  for (let time = 0; time < times; time += 1)
    for (const mode of modes)
      for (const { exchange, own } of plays) all.push(await askMarked(context, own, exchange, mode))
  for (const { exchange, own } of plays) {
    const asked = all.filter((one) => one.exchange === exchange)
    for (const one of asked.slice(0, 1)) expectAsked(context, one, await context.nodes.records(own.id), when)
    for (const one of asked) expectAnswered(context, one, when)
  }
  expectApart(context, all, when)
}

/** How many random exchanges are tried: many oddities are in each. */
const exchangesMax = 12

export const relayedExchanges = clause('4.1', [
  must('relay.exchanges-in-turn', {
    states: ['parameters-reach-the-node', 'node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: roots,
    sameCauseAs: [
      'relay.ids-are-unique',
      'relay.history-counts',
      'relay.usage-is-not-the-limit',
      'relay.usage-of-its-own',
    ],
    cost: { requests: 57, tokens: 92_500 },
    wrong: 'Of different requests in turn, one or its answer went wrong between client and node.',
    why: 'What goes wrong with one field in some requests only is found by nobody: each single field looks well when it is tried.',
    fix: 'Treat every request alike: build it from what the client sent, and keep nothing from the one before.',
    async run(context) {
      await expectInTurn(context, 1, 1, 'in the first round')
      await expectInTurn(context, 2, 1, 'in the second round')
      await expectInTurn(context, 3, 2, 'asked twice')
    },
  }),
  must('relay.exchanges-beside-others', {
    states: ['each-gets-its-own-reply', 'parameters-reach-the-node', 'node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.exchanges-in-turn', 'relay.replies-not-mixed'],
    cost: { requests: 14, tokens: 23_000 },
    wrong: 'Of requests at the same time, one or its answer went wrong between client and node.',
    why: "A client gets another one's settings when a gateway keeps a request in a shared variable.",
    fix: 'Keep nothing of a request outside its own scope.',
    async run(context) {
      const ask = async (exchange: MarkedExchange) => {
        // Slow enough that all of them are under way at once.
        const own = await play(context, { ...scriptOf(exchange), timing: { firstToken: 60, gap: 0 } })
        const relayed = await Promise.all(modes.map((mode) => askMarked(context, own, exchange, mode, { burst: true })))
        return { own, relayed }
      }
      const all = await Promise.all(markedExchanges(4).map(ask))
      for (const { own, relayed } of all) {
        for (const one of relayed) {
          expectAsked(context, one, await context.nodes.records(own.id), 'beside others')
          const { status } = one.answer
          if (isRefusedForNow(one.answer))
            throw context.undecidable(`one of twelve concurrent requests was answered with ${status}`)
          expectAnswered(context, one, 'beside others')
        }
      }
      expectApart(
        context,
        all.flatMap(({ relayed }) => relayed),
        'beside others',
      )
    },
  }),
  must('relay.exchange-after-a-failure', {
    states: ['next-request-is-served', 'parameters-reach-the-node', 'node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.exchanges-in-turn'],
    phase: 'exclusive',
    cost: { requests: 42, tokens: 23_500 },
    wrong: 'After a failed request, one or its answer went wrong between client and node.',
    why: 'What is left of a failed request changes the next one, long after anybody looks for the cause.',
    fix: 'Begin each request with nothing, and throw away whatever a failed one leaves.',
    async run(context) {
      const all: Relayed[] = []
      for (const exchange of markedExchanges(5)) {
        for (const mode of modes) {
          const broken = await playWhenReady(context, failing)
          await broken[mode]()
          const own = await play(context, scriptOf(exchange))
          // A gateway may avoid a node for a while after its failure.
          const relayed = await eventually(
            { withinMs: Math.max(1500, context.target.config.settlingMs), everyMs: 50 },
            () => askMarked(context, own, exchange, mode),
            ({ answer }) => isSuccess(answer),
          )
          const records = await context.nodes.records(own.id)
          expectAsked(context, relayed, records, 'after a failure')
          if (records.length === 0 || isRefusedForNow(relayed.answer))
            throw context.undecidable('the gateway does not serve the model of our nodes again')
          expectAnswered(context, relayed, 'after a failure')
          all.push(relayed)
        }
      }
      expectApart(context, all, 'after a failure')
    },
  }),
  must('relay.exchange-after-a-left-stream', {
    states: ['next-request-is-served', 'parameters-reach-the-node', 'node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.exchanges-in-turn'],
    phase: 'exclusive',
    cost: { requests: 42, tokens: 24_500 },
    wrong: 'A request after a left stream, or its answer, went wrong.',
    why: 'Clients leave streams all the time, and the rest of one must not turn up in the next reply.',
    fix: 'Close what belongs to an abandoned request, and use nothing of it again.',
    async run(context) {
      const all: Relayed[] = []
      const long = {
        fragments: Array.from({ length: 60 }, (_, at) => `left${at} `),
        timing: { firstToken: 1, gap: 10 },
      }
      for (const exchange of markedExchanges(6)) {
        for (const mode of modes) {
          const abandoned = await playWhenReady(context, long)
          const left = await abandoned.stream({}, 2)
          if (left.done) throw context.undecidable('a long stream could not be left in its middle')
          const own = await play(context, scriptOf(exchange))
          const relayed = await askMarked(context, own, exchange, mode)
          expectAsked(context, relayed, await context.nodes.records(own.id), 'after a stream was left')
          expectAnswered(context, relayed, 'after a stream was left')
          all.push(relayed)
        }
      }
      expectApart(context, all, 'after a stream was left')
    },
  }),
  must('relay.exchange-on-the-second-try', {
    states: ['failover', 'parameters-reach-the-node', 'node-text-is-the-reply'],
    needs: ['two-nodes'],
    dependsOn: ['relay.exchanges-in-turn', 'relay.second-try-asks-the-same', 'relay.second-try-begins-anew'],
    phase: 'exclusive',
    // Which node is asked first is chance: 14 exchanges take 28 turns on average, and over 55 in one run of ten thousand.
    cost: { requests: 250, tokens: 100_000 },
    wrong: 'A second try or its answer went wrong between client and node.',
    why: 'The second node answers another question than the client asked when a try changes what the next one is made from.',
    fix: 'Build the request of each try from what the client sent, and the reply from that try only.',
    async run(context) {
      const all: Relayed[] = []
      for (const exchange of markedExchanges(7)) {
        for (const mode of modes) {
          const own = await playWhenReady(context, [failing, scriptOf(exchange)], true)
          const tries = await inTurnUntil(
            rules.firstNode.times,
            async (turn) => {
              // A unique prompt, which no cache knows, and longer with each turn.
              const prompt = `${own.prompt}${` Try ${turn}.`.repeat(turn + 1)}`
              const relayed = await askMarked(context, own, exchange, mode, { prompt })
              const records = await context.nodes.records(own.id)
              const isOfThisTry = new RegExp(`try ${turn}\\.`, 'i')
              return { relayed, records: records.filter(({ body }) => isOfThisTry.test(body)) }
            },
            ({ records }) => records.length > 1,
          )
          const [last, before] = tries.toReversed()
          if (last === undefined || last.records.length < 2)
            throw context.undecidable('the gateway asked no second node when the first one failed')
          expectAsked(context, last.relayed, last.records, 'on the second try')
          expectAnswered(context, last.relayed, 'on the second try')
          if (before !== undefined) expectLongerPrompt(context, before.relayed, last.relayed, 'on the second try')
          all.push(last.relayed)
        }
      }
      expectApart(context, all, 'on the second try')
    },
  }),
  must('relay.any-exchange', {
    states: ['parameters-reach-the-node', 'node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.exchanges-in-turn'],
    phase: 'random',
    // Of a hundred runs, a dozen are carried out.
    cost: { requests: 1, tokens: 200 },
    wrong: 'A random request or its answer went wrong between client and node.',
    why: 'Two oddities that each pass by themselves can break each other in one request.',
    fix: 'Change nothing of what passes through: parse JSON with a parser, and write it with an encoder.',
    run: (context) =>
      context.property(
        anyExchange,
        async (exchange) => {
          const own = await play(context, scriptOf(exchange))
          for (const mode of modes) {
            const relayed = await askMarked(context, own, exchange, mode)
            expectAsked(context, relayed, await context.nodes.records(own.id), 'at random')
            expectAnswered(context, relayed, 'at random')
          }
        },
        { runsMax: exchangesMax },
      ),
  }),
])
