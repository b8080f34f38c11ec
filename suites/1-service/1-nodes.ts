import { endingAfterLeaving } from '../../src/asking/nodes/leave-waiting.ts'
import { play, playAside, playWhenReady, slowestOf, textOf } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { listAt, textAt } from '../../src/json.ts'
import { eventually } from '../../src/repeat/eventually.ts'
import { untilRight } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
import { type Answer, isDecisive, isRefusedForNow, isSuccess, type StreamAnswer } from '../../src/target/answer.ts'
import { chatRequest, modelsPath } from '../../src/target/chat.ts'
import type { NodeScript } from '../../src/target/nodes.ts'

const fragments = ['One ', 'two ', 'three ', 'four.']
const good = { fragments }
const cutting = { fault: { kind: 'reset-before-head' } }
const closing = { fault: { kind: 'close-before-head' } }
const refusing = { status: 503 }
const busy = { status: 429 }
const failing = { status: 500 }
/** What a proxy before a node says when that is gone. */
const page = { status: 502, headers: { 'content-type': 'text/html' }, body: '<html><h1>502 Bad Gateway</h1></html>' }
const long = Array.from({ length: 400 }, (_, at) => `word${at} `)
const cancelledWithinMs = 5000
/** Nodes that break off once another stream has begun: in the middle of their own, and before it. */
const breakingOff: readonly NodeScript[] = [
  { fragments: long, timing: { firstToken: 80, gap: 5 }, fault: { kind: 'reset-mid-stream', afterChunks: 3 } },
  { fragments: long, timing: { firstToken: 120, gap: 5 }, fault: { kind: 'reset-before-head' } },
]

/** Nodes whose reply a client does not wait for. */
const waits: readonly (readonly [NodeScript, string])[] = [
  [{ fragments: long, timing: { firstToken: 1, gap: 25 } }, 'before the head of its reply'],
  [{ fragments: long, wire: { cuts: 20, pauseMs: 60 } }, 'while its reply came in pieces'],
]

/**
 * The node that is broken changes with each round: a gateway may avoid one that has just failed. It may avoid both by the later
 * rounds, in which each mode meets further failures, or keep the second one in reserve.
 */
const brokenNodes = [
  { stream: false, scripts: [cutting, good], turns: 10 },
  { stream: true, scripts: [good, refusing], turns: 10 },
  { stream: true, scripts: [cutting, good], turns: 6 },
  { stream: false, scripts: [good, refusing], turns: 6 },
  { stream: false, scripts: [busy, good], turns: 6 },
  { stream: true, scripts: [good, busy], turns: 6 },
  { stream: true, scripts: [failing, good], turns: 6 },
  { stream: false, scripts: [good, failing], turns: 6 },
  { stream: false, scripts: [page, good], turns: 6 },
  { stream: true, scripts: [good, page], turns: 6 },
  { stream: true, scripts: [closing, good], turns: 6 },
  { stream: false, scripts: [good, closing], turns: 6 },
] as const

/** A model that answers and is not that of our nodes: the one in use, or one of the list. */
async function anotherModel({ model, nodes, prepared, send }: CheckContext): Promise<string | undefined> {
  if (model !== nodes.model) return model
  const other = prepared.roster.find(({ id }) => id !== nodes.model)?.id
  if (other === undefined) return undefined
  return isSuccess(await send(chatRequest(other, {}))) ? other : undefined
}

const isAnswered = ({ stream }: { readonly stream: StreamAnswer }): boolean => isDecisive(stream)

export const nodes = clause('1', [
  should('relay.another-node-is-tried', {
    states: ['failover'],
    needs: ['two-nodes'],
    dependsOn: ['relay.reply-text-exact'],
    sameCauseAs: ['relay.stream-text-exact'],
    phase: 'exclusive',
    cost: { requests: 200, tokens: 6000 },
    wrong: 'A request failed, or its text was changed, although one of two nodes was well.',
    why: 'One of two nodes may break at any time, and no client should notice.',
    fix: 'Ask another node as long as nothing has been sent, and remember which one failed.',
    async run(context) {
      const seenBroken = new Set<boolean>()
      for (const { stream, scripts, turns } of brokenNodes) {
        const own = await playWhenReady(context, scripts, true)
        const brokenNode = scripts.findIndex((script) => script !== good)
        let passing = 0
        for (let turn = 0; turn < turns; turn += 1) {
          // A unique prompt: no cache knows the reply, and the nodes' records tell whether it reached them.
          const prompt = `${own.prompt} Turn ${turn}.`
          const body = { messages: [{ role: 'user', content: prompt }] }
          const answer = stream ? await own.stream(body) : await own.reply(body)
          const wasAsked = async () =>
            (await context.nodes.records(own.id)).some(({ body: sent }) => sent.includes(prompt))
          // A refusal without any node involved is a passing one, if it is rare.
          if (!isSuccess(answer) && passing < 2 && !(await wasAsked())) {
            passing += 1
            continue
          }
          const what = `the text while one of two nodes is broken (stream: ${stream})`
          context.expect(what, textOf(context, 'a reply', answer), answer).is(fragments.join(''))
        }
        const seen = await own.seen()
        if (seen.some(({ node }) => node % 2 === brokenNode)) seenBroken.add(stream)
      }
      if (seenBroken.size < 2) throw context.undecidable('the gateway did not ask the broken node in both modes')
    },
  }),
  should('relay.each-node-is-tried-once', {
    states: ['failover'],
    needs: ['nodes'],
    dependsOn: ['relay.early-failure-is-no-reply'],
    phase: 'exclusive',
    cost: { requests: 2, tokens: 60 },
    wrong: 'A failing request was sent to the nodes more than twice for each node.',
    why: 'Repeating a request many times on failing nodes turns a small problem into an outage for everybody.',
    fix: 'Try each node at most once per request, and only a few in all.',
    async run(context) {
      const own = await playWhenReady(context, { status: 500 })
      const answer = await own.reply()
      const seen = await own.seen()
      context
        .expect('times one request was sent to the nodes', seen.length, answer)
        .isAtMost(Math.max(3, context.nodes.count * 2))
    },
  }),
  should('relay.stream-left-is-cancelled', {
    states: ['left-work-stops'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-text-exact'],
    phase: 'exclusive',
    cost: { requests: 2, tokens: 500 },
    wrong: 'A stream began with no text, or its node was not told that the client had left.',
    why: 'A node that keeps writing for nobody is capacity that somebody else waits for.',
    fix: "Close the node's connection when the client's is closed.",
    async run(context) {
      const own = await playWhenReady(context, { fragments: long, timing: { firstToken: 1, gap: 25 } })
      const stream = await own.stream({}, 3)
      // A chunk may be a single letter.
      context.expect('characters read before leaving', stream.content.length, stream).isAtLeast(1)
      if (stream.done) throw context.undecidable('a long stream could not be left in its middle')
      const seen = await context.nodes.recordsWhen(own.id, cancelledWithinMs, (records) =>
        records.some(({ outcome }) => outcome !== 'under-way'),
      )
      context.expect('how the request ended at the node', seen[0]?.outcome, stream).is('closed-by-peer')
    },
  }),
  should('relay.reply-left-is-cancelled', {
    states: ['left-work-stops'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    sameCauseAs: ['relay.stream-left-is-cancelled'],
    phase: 'exclusive',
    cost: { requests: 22, tokens: 1000 },
    wrong: 'A node was not told that the client waiting for its reply had left.',
    why: 'Clients that wait for a whole reply give up often, and the work goes on for nobody.',
    fix: "Watch the client's connection while the node works, in both modes.",
    async run(context) {
      for (const [script, when] of waits) {
        const own = await playWhenReady(context, script)
        const ending = await endingAfterLeaving(context, own)
        context.expect(`how a request left ${when} ended at the node`, ending).is('closed-by-peer')
      }
    },
  }),
  must('relay.leaving-harms-no-others', {
    states: ['each-gets-its-own-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-text-exact'],
    phase: 'exclusive',
    cost: { requests: 22, tokens: 4000 },
    wrong: 'A stream beside or after abandoned ones failed or had another text.',
    why: "One client that leaves must not take other clients' streams with it.",
    fix: 'Cancel the abandoned request, and nothing that it shares with others.',
    async run(context) {
      const besideLeft = async (gap: number) => {
        const healthy = await playWhenReady(context, { fragments: long.slice(0, 120), timing: { firstToken: 1, gap } })
        // They leave after the other stream has begun: before that, a gateway may still ask another node.
        const leaving = await playWhenReady(context, { fragments: long, timing: { firstToken: 80, gap: 5 } })
        let isOver = false
        const whole = healthy.stream({}, undefined, true).finally(() => {
          isOver = true
        })
        const left = Promise.all(Array.from({ length: 6 }, (_, at) => leaving.stream({}, at + 1, true)))
        const [stream, sawAllLeave] = await Promise.all([whole, left.then(() => !isOver)])
        return { stream, sawAllLeave }
      }
      for (const gap of [6, 50]) {
        const { stream, sawAllLeave } = await untilRight(rules.scripted, () => besideLeft(gap), isAnswered)
        context
          .expect('the text of a stream while six others were abandoned', textOf(context, 'a stream', stream), stream)
          .is(long.slice(0, 120).join(''))
        const next = await (await play(context, { fragments: long.slice(0, 120) })).stream()
        context
          .expect('the text of the next stream', textOf(context, 'the next stream', next), next)
          .is(long.slice(0, 120).join(''))
        if (sawAllLeave) return
      }
      throw context.undecidable('the stream ended before the other clients had left')
    },
  }),
  must('relay.failing-harms-no-others', {
    states: ['each-gets-its-own-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-text-exact'],
    sameCauseAs: ['relay.leaving-harms-no-others'],
    phase: 'exclusive',
    cost: { requests: 20, tokens: 3000 },
    wrong: 'A stream beside others whose node broke off did not arrive whole.',
    why: 'One broken connection to a node must not take the streams of other clients with it.',
    fix: 'Fail the request whose connection broke, and nothing that it shares with others.',
    async run(context) {
      const besideBroken = async (gap: number) => {
        const healthy = await playWhenReady(context, { fragments: long.slice(0, 120), timing: { firstToken: 1, gap } })
        const broken = await Promise.all(breakingOff.map((script) => playAside(context, script)))
        // What becomes of them is their own affair: a gateway may try each again for long.
        const others = Promise.all(broken.flatMap((one) => [one.stream({}, undefined, true), one.reply({}, true)]))
        const stream = await healthy.stream({}, undefined, true)
        const records = await Promise.all(broken.map(({ id }) => context.nodes.records(id)))
        await others
        return { stream, sawAllBreak: records.every((seen) => seen.some(({ outcome }) => outcome !== 'under-way')) }
      }
      for (const gap of [6, 50]) {
        const { stream, sawAllBreak } = await untilRight(rules.scripted, () => besideBroken(gap), isAnswered)
        const what = 'a stream beside four whose node broke off'
        context.expect(`the text of ${what}`, textOf(context, what, stream), stream).is(long.slice(0, 120).join(''))
        if (sawAllBreak) return
      }
      throw context.undecidable('the stream ended before a node of the others had broken off')
    },
  }),
  must('relay.frozen-node-harms-no-others', {
    states: ['nodes-harm-no-others'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-text-exact', 'chat.answers'],
    phase: 'exclusive',
    cost: { requests: 60, tokens: 3000 },
    wrong: 'Another model was refused or slow while requests waited for a frozen node.',
    why: 'One frozen machine must not stop a whole network.',
    fix: 'Never let anything shared between models wait for a node.',
    async run(context) {
      const { nodes, send, expect, notApplicable, undecidable } = context
      const model = await anotherModel(context)
      if (model === undefined) throw notApplicable('no other model answers than that of our nodes')
      const askOnce = () => send({ ...chatRequest(model, {}), burst: true })
      const ask = async (): Promise<Answer> => {
        const answer = await askOnce()
        return isRefusedForNow(answer) ? askOnce() : answer
      }
      const several = () => Promise.all(Array.from({ length: 4 }, ask))
      let calmMs = 0
      const besideFrozenNode = async () => {
        calmMs = Math.max(calmMs, slowestOf(await several()))
        // Long enough that a reply which waits for the frozen node cannot be taken for a slow one.
        const frozenMs = Math.min(10_000, Math.max(500, calmMs * 8))
        const frozen = await playWhenReady(context, { fragments, timing: { firstToken: frozenMs, gap: 1 } })
        const waiting = Promise.all(Array.from({ length: 12 }, () => frozen.stream({}, undefined, true)))
        const meanwhile = nodes.recordsWhen(frozen.id, frozenMs * 0.4, (records) => records.length >= 12).then(several)
        const [answers] = await Promise.all([meanwhile, waiting])
        // Who has room for so many at once is its own business, whatever they ask for.
        if (answers.some(({ status }) => status === 429))
          throw undecidable('another model was refused with 429 while twelve requests waited')
        for (const answer of answers)
          expect('status of another model while twelve requests wait for a node', answer.status, answer).isStatus('2xx')
        return { slowestMs: slowestOf(answers), allowedMs: Math.round(frozenMs * 0.5), answer: answers[0] }
      }
      const { slowestMs, allowedMs, answer } = await untilRight(
        rules.slow,
        besideFrozenNode,
        (seen) => seen.slowestMs <= seen.allowedMs,
      )
      expect('ms that the slowest reply of another model took while a node was frozen', slowestMs, answer).isAtMost(
        allowedMs,
      )
    },
  }),
  open('relay.list-without-nodes', {
    states: ['model-tiers-open'],
    needs: ['nodes'],
    dependsOn: ['relay.no-node-is-503'],
    phase: 'exclusive',
    safe: false,
    cost: { requests: 20, tokens: 60 },
    why: 'A list that follows the nodes spares clients requests that can only fail.',
    fix: 'Nothing to mend: the contract does not say how fast the list follows.',
    async run(context) {
      const { nodes, send } = context
      const isListed = async (): Promise<boolean> => {
        const list = await send({ method: 'GET', path: modelsPath })
        return listAt(list.json, 'data').some((model) => textAt(model, 'id') === nodes.model)
      }
      const own = await playWhenReady(context, good)
      await nodes.setState('refuse')
      await own.reply()
      const listedWhileDown = await isListed()
      await nodes.setState('up')
      const startMs = performance.now()
      await eventually({ withinMs: 3000, everyMs: 50 }, isListed, (listed) => listed)
      return { listedWhileDown, listedAgainMs: listedWhileDown ? 0 : Math.round(performance.now() - startMs) }
    },
  }),
])
