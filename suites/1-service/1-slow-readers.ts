import { setTimeout as sleep } from 'node:timers/promises'
import { type Play, playWhenReady, slowestOf } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, must, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { untilRight } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
import { isRefusedForNow, isSuccess } from '../../src/target/answer.ts'
import { chatRequest, chatText } from '../../src/target/chat.ts'

/** What the sockets between a node and a client hold on most machines, and on one that gives each 32 MB. */
const megabytesHeld = { usual: 32, most: 80 }
/** More than any of them hold. */
const megabytes = 96
const tooMuch = { fragments: ['x'.repeat(65_536)], repeat: megabytes * 16 }

/** Asks for a stream, reads nothing of it for a while, and leaves. */
async function stall({ nodes, converse, rawHead, target }: CheckContext, { prompt }: Play, pauseMs: number) {
  const body = chatText(nodes.model, {
    model: nodes.model,
    stream: true,
    messages: [{ role: 'user', content: prompt }],
    max_tokens: 120_000_000,
  })
  const key = target.config.keys.main
  const head = rawHead('POST', '/chat/completions', [
    ['Content-Type', 'application/json'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ...(key === undefined ? [] : ([['Authorization', `Bearer ${key}`]] as const)),
  ])
  await converse([head + body, { stopReading: true }, { pauseMs }, { leave: true }], () => false)
}

async function megabytesWritten({ nodes, undecidable }: CheckContext, { id }: Play): Promise<number> {
  const [first] = await nodes.records(id)
  if (first === undefined || first.chunksWritten === 0) throw undecidable('the gateway did not let the node begin')
  return Math.round(first.bytesWritten / 1e6)
}

/** What only large sockets hold stands still once they are full; a gateway that reads ahead goes on. */
async function whereItStops(context: CheckContext): Promise<{ readonly written: number; readonly held: number }> {
  const own = await playWhenReady(context, tooMuch)
  const stalled = stall(context, own, 5000)
  await sleep(3000)
  const held = await megabytesWritten(context, own)
  await stalled
  const { usual, most } = megabytesHeld
  return { written: await megabytesWritten(context, own), held: Math.min(Math.max(held, usual), most) }
}

export const slowReaders = clause('1', [
  should('relay.slow-reader-slows-the-node', {
    states: ['slow-readers-slow-the-node'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-text-exact'],
    // Whoever holds a stream back until it is complete reads all of it.
    sameCauseAs: ['relay.fragments-as-they-come'],
    phase: 'exclusive',
    cost: { requests: 3, tokens: 6000 },
    wrong: 'A node could go on writing megabytes for a client that read nothing.',
    why: 'A gateway that reads ahead for a client that does not read runs out of memory for everybody.',
    fix: "Read from the node as fast as the client's socket takes it.",
    async run(context) {
      const own = await playWhenReady(context, tooMuch)
      await stall(context, own, 1500)
      const written = await megabytesWritten(context, own)
      const isMuch = written > megabytesHeld.usual && written <= megabytesHeld.most
      const seen = isMuch ? await whereItStops(context) : { written, held: megabytesHeld.usual }
      context.expect('MB that the node could write for a client that reads nothing', seen.written).isAtMost(seen.held)
    },
  }),
  must('relay.slow-reader-harms-no-others', {
    states: ['nodes-harm-no-others'],
    needs: ['nodes'],
    dependsOn: ['relay.slow-reader-slows-the-node', 'chat.answers'],
    phase: 'exclusive',
    cost: { requests: 30, tokens: 3000 },
    wrong: 'Another model was refused or slow beside a client that did not read.',
    why: "One phone in a tunnel must not stop everybody else's streams.",
    fix: 'Let only its own stream wait for a slow reader.',
    async run(context) {
      const { model, nodes, send, sendStream, expect } = context
      const several = () =>
        Promise.all([
          ...Array.from({ length: 2 }, () => send({ ...chatRequest(model, {}), burst: true })),
          ...Array.from({ length: 2 }, () => sendStream({ ...chatRequest(model, { stream: true }), burst: true })),
        ])
      let calmMs = 0
      const besideStalledReader = async () => {
        calmMs = Math.max(calmMs, slowestOf(await several()))
        // Long enough that a reply which waits for the reader cannot be taken for a slow one.
        const stalledMs = Math.min(10_000, Math.max(1200, calmMs * 10))
        const own = await playWhenReady(context, tooMuch)
        const stalled = stall(context, own, stalledMs)
        await nodes.recordsWhen(own.id, stalledMs * 0.3, ([first]) => (first?.chunksWritten ?? 0) > 0)
        // Until the buffers between node and client are full.
        await sleep(stalledMs * 0.2)
        const answers = await several()
        await stalled
        return {
          answers,
          refused: answers.find((answer) => !isSuccess(answer)),
          allowedMs: Math.round(stalledMs * 0.3),
        }
      }
      const { answers, refused, allowedMs } = await untilRight(
        rules.slow,
        besideStalledReader,
        (seen) => seen.refused === undefined && slowestOf(seen.answers) <= seen.allowedMs,
      )
      if (refused !== undefined && isRefusedForNow(refused))
        throw context.undecidable(`a plain request beside a stalled reader was answered with ${refused.status}`)
      const beside = 'beside a stalled reader'
      expect(`requests refused ${beside}`, refused?.status, refused ?? answers[0]).is(undefined)
      expect(`ms that the slowest reply took ${beside}`, slowestOf(answers), answers[0]).isAtMost(allowedMs)
    },
  }),
])
