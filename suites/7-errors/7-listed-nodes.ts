import { playWhenReady } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, must } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { eventually } from '../../src/repeat/eventually.ts'
import { isSuccess } from '../../src/target/answer.ts'
import { modelsPath } from '../../src/target/chat.ts'
import { readRoster } from '../../src/target/roster.ts'

/** Long enough for any gateway that looks after its nodes now and then. */
const followsWithinMs = 60_000
/** A list that names the model again before this is over has not dropped it. */
const droppedForMs = 3000
const lookEveryMs = 500
/** What another check did to a node may not be over. */
const againMs = 5000
/** How long the list is watched once requests have met the node that is gone; with --long, longer than most look after their nodes. */
const stayingMs = { usual: 200, long: 12_000 } as const

const outages = { refuse: 'refuses connections', blackhole: 'is a black hole' } as const

/** Looks whether the list names the model of our nodes, and for how long it has not. */
function listWatch({ send, nodes, undecidable }: CheckContext) {
  let missingSinceMs: number | undefined
  const isListed = async (): Promise<boolean> => {
    const list = await send({ method: 'GET', path: modelsPath })
    // A list that is not served names no model either; what else it may be refused for says nothing of one.
    const isOut = list.status !== undefined && list.status >= 500
    if (!isSuccess(list) && !isOut)
      throw undecidable(`the list was answered with ${list.status ?? list.exchange.ending}`)
    const listed = readRoster(list.json).some(({ id }) => id === nodes.model)
    missingSinceMs = listed ? undefined : (missingSinceMs ?? performance.now())
    return listed
  }
  const isDropped = async (): Promise<boolean> => {
    await isListed()
    return missingSinceMs !== undefined && performance.now() - missingSinceMs >= droppedForMs
  }
  const follows = (look: () => Promise<boolean>): Promise<boolean> =>
    eventually({ withinMs: followsWithinMs, everyMs: lookEveryMs }, look, (holds) => holds)
  return { isListed, follows, isDropped }
}

/** What the list says of a model whose nodes are gone, and what requests for it then get. */
export const listedNodes = clause('7', [
  must('relay.one-node-is-enough', {
    states: ['list-has-available-models'],
    needs: ['two-nodes'],
    dependsOn: ['relay.reply-text-exact'],
    phase: 'exclusive',
    safe: false,
    cost: { requests: 60, tokens: 1500 },
    wrong: 'The list dropped a model while one of its two nodes was well.',
    why: 'Clients that choose from the list lose a model that could still be served.',
    fix: 'Drop a model from the list when its last node is gone, and no sooner.',
    async run(context) {
      const { nodes, expect, notApplicable } = context
      const { isListed } = listWatch(context)
      if (!(await eventually({ withinMs: againMs }, isListed, (listed) => listed)))
        throw notApplicable('the list does not name the model of our nodes')
      for (let node = 0; node < 2; node += 1) {
        const own = await playWhenReady(context, { fragments: ['Fine', '.'] }, true)
        await nodes.setState('refuse', node)
        // A gateway that does not look after its nodes by itself learns of the outage now; how it answers is not judged here.
        for (let turn = 0; turn < 4; turn += 1) await own.reply()
        const withinMs = context.target.config.long ? stayingMs.long : stayingMs.usual
        const stays = await eventually({ withinMs, everyMs: lookEveryMs }, isListed, (listed) => !listed)
        await nodes.setState('up', node)
        expect('whether the list names a model of which one of two nodes is well', stays).is(true)
      }
    },
  }),
  must('relay.list-follows-the-nodes', {
    states: ['list-has-available-models', 'no-node-is-503'],
    needs: ['nodes', 'long'],
    dependsOn: ['relay.black-hole-is-503', 'models.stable'],
    phase: 'exclusive',
    safe: false,
    cost: { requests: 500, tokens: 600 },
    wrong: 'The list or the answers for a model did not follow its nodes going and coming back.',
    why: 'The list is the authority on what is available, and clients that choose from it ask for a model that nobody serves.',
    fix: 'Drop a model from the list once its last node is gone, answer requests for it with 503, and list it when a node is back.',
    async run(context) {
      const { nodes, prepared, expect, notApplicable } = context
      const wasListed = prepared.roster.some(({ id }) => id === nodes.model)
      for (const [state, what] of Object.entries(outages) as [keyof typeof outages, string][]) {
        const own = await playWhenReady(context, { fragments: ['Fine', '.'] })
        const { isListed, isDropped, follows } = listWatch(context)
        if (!wasListed && !(await isListed())) throw notApplicable('the list does not name the model of our nodes')
        // Other checks may have taken the nodes away before.
        expect('whether the list names a model that is served, as it did before', await follows(isListed)).is(true)
        await nodes.setState(state)
        // A gateway that does not look after its nodes by itself learns of the outage now.
        await own.reply()
        const dropped = await follows(isDropped)
        expect(`whether the list drops a model within a minute after its last node ${what}`, dropped).is(true)
        const [reply, stream] = await Promise.all([own.reply(), own.stream()])
        await nodes.setState('up')
        for (const answer of [reply, stream])
          expect(`status for a model that the list has dropped because its node ${what}`, answer.status, answer).is(503)
        expect('whether the list names a model within a minute after a node is back', await follows(isListed)).is(true)
      }
    },
  }),
])
