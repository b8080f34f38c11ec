import { setTimeout as sleep } from 'node:timers/promises'
import { playWhenReady } from '../../src/asking/nodes/scripted-nodes.ts'
import { holdServedAfter } from '../../src/asking/served-after.ts'
import { clause, must, should } from '../../src/check/check.ts'

const words = Array.from({ length: 200 }, (_, at) => `word${at} `)
/** A gateway learns a moment later that a client has left. */
const noticedWithinMs = 300
/** Enough for each of several nodes to have met some. */
const together = 6

/** What an engine says of a conversation that is longer than its window. */
const tooLong = {
  status: 400,
  body: {
    error: {
      message: "This model's maximum context length is 4096 tokens, and the messages have 5120.",
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
    },
  },
}

/** What clients do that must not be held against a node. */
export const blamedNodes = clause('1', [
  must('relay.leaving-blames-no-node', {
    states: ['next-request-is-served'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-text-exact'],
    sameCauseAs: ['relay.leaving-harms-no-others', 'relay.recovers'],
    phase: 'exclusive',
    cost: { requests: 40, tokens: 4000 },
    wrong: 'A plain request was refused right after clients had left their streams, though all nodes were well.',
    why: 'Whoever takes a client that leaves for a node that fails puts healthy nodes out of service: a few stop buttons are an outage.',
    fix: 'Count against a node only what the node did, and not that its client closed the connection.',
    async run(context) {
      const { nodes } = context
      const leave = async (): Promise<void> => {
        const slow = await playWhenReady(context, { fragments: words, timing: { firstToken: 1, gap: 20 } })
        await Promise.all(Array.from({ length: together }, () => slow.stream({}, 1, true)))
        await sleep(noticedWithinMs)
      }
      await holdServedAfter(context, 'six streams were left', { model: nodes.model }, leave)
    },
  }),
  should('relay.refusals-blame-no-node', {
    states: ['next-request-is-served'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    sameCauseAs: ['relay.leaving-blames-no-node', 'relay.recovers'],
    phase: 'exclusive',
    cost: { requests: 40, tokens: 1000 },
    wrong: 'A plain request was refused right after nodes had refused six that were too long for them.',
    why: 'One client with a prompt that is too long takes the model away from all others.',
    fix: "Answer a node's 400 with a 4xx, and do not count it as a failure of the node.",
    async run(context) {
      const { nodes } = context
      const refuse = async (): Promise<void> => {
        const refusing = await playWhenReady(context, tooLong)
        await Promise.all(Array.from({ length: together }, () => refusing.reply({}, true)))
        await refusing.seen()
      }
      await holdServedAfter(context, 'nodes had refused six with 400', { model: nodes.model }, refuse)
    },
  }),
])
