import { play } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { isSuccess } from '../../src/target/answer.ts'
import type { NodeRecord } from '../../src/target/nodes.ts'
import { outcome } from '../../src/target/settle.ts'

const script = { fragments: ['Fine', '.'] }

/** Other headers in which clients carry a key. */
const carriers = ['X-Api-Key', 'Api-Key'] as const

/** The key of the run, if the nodes have no right to it. */
function keyToKeep({ target, nodes, notApplicable }: CheckContext): string {
  const { main } = target.config.keys
  if (main === undefined) throw notApplicable('no key is used')
  if (nodes.takeTheCallersKey) throw notApplicable("the nodes require the caller's own key")
  return main
}

function shows(key: string, { headers, body }: NodeRecord): boolean {
  return JSON.stringify(headers).includes(key) || body.includes(key)
}

/** What nodes learn of the key of a caller. */
export const relayedKeys = clause('4.1', [
  should('relay.key-stays-with-us', {
    states: ['nodes-see-no-keys'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    cost: { requests: 2, tokens: 150 },
    wrong: "A caller's key reached a node.",
    why: "Node operators who see callers' keys can spend the callers' money.",
    fix: "Build the node's request from scratch, and pass on none of the caller's headers.",
    async run(context) {
      const key = keyToKeep(context)
      const own = await play(context, script)
      await own.reply()
      await own.stream()
      for (const record of await own.seen())
        context.expect("whether the caller's key reached the node", shows(key, record)).is(false)
    },
  }),
  should('relay.key-in-other-headers-stays', {
    states: ['nodes-see-no-keys'],
    needs: ['nodes'],
    // Whoever serves a request without a key takes it in any header.
    dependsOn: ['relay.key-stays-with-us', 'auth.missing-key-refused'],
    cost: { requests: 16, tokens: 600 },
    wrong: 'A key in another header, in which the gateway takes keys as well, reached a node.',
    why: 'Clients of several formats send their key in two headers, and node operators can use either.',
    fix: "Build the node's request from scratch, and pass on none of the caller's headers.",
    async run(context) {
      const { nodes, probe, expect, notApplicable, undecidable } = context
      const key = keyToKeep(context)
      let taken = 0
      for (const header of carriers) {
        const own = await play(context, script)
        const body = { model: nodes.model, max_tokens: 100, messages: [{ role: 'user', content: own.prompt }] }
        const headers = [[header, key]] as const
        // What a gateway does not take for a key it may pass on, as it does with any header that it does not know.
        if (!isSuccess(await probe(body, { headers, key: null }))) continue
        taken += 1
        const answer = await probe(body, { headers })
        const records = await nodes.records(own.id)
        if (records.length === 0) throw undecidable(`with the header ${header}, ${outcome(answer)}`)
        for (const record of records)
          expect(`whether the caller's key in ${header} reached the node`, shows(key, record), answer).is(false)
      }
      if (taken === 0) throw notApplicable('the gateway takes a key in no other header')
    },
  }),
])
