import { expectSame } from '../../src/asking/marked/ask-marked.ts'
import { expectedOf, type Played, playedSoFar } from '../../src/asking/marked/played.ts'
import { detailComparisons, replyComparisons } from '../../src/asking/marked/reply-comparisons.ts'
import { differencesFromClosest } from '../../src/asking/marked/request-comparisons.ts'
import { clause, must, should } from '../../src/check/check.ts'

/** Looks at everything that went between the gateway and our nodes in the run, and asks nothing. */
export const relayedAudits = clause('4.1', [
  should('relay.exchange-details', {
    states: ['chunk-fields-open', 'usage-total'],
    needs: ['nodes'],
    sameCauseAs: ['relay.exchanges-in-turn', 'relay.model-is-what-was-asked'],
    phase: 'end',
    ofWholeRun: true,
    cost: { requests: 0, tokens: 0 },
    wrong: 'A reply of a node has a wrong field, or counts that do not add up.',
    why: 'Typed clients fail on a field that some replies have in another form.',
    fix: 'Write every chunk in the same way, and the total as the sum of the other two counts.',
    async run(context) {
      // What a script writes out may be odd by itself.
      const isWrittenOut = ({ scripts }: Played): boolean => scripts.some(({ body }) => body !== undefined)
      const all = (await playedSoFar(context)).filter(
        (played) => expectedOf(played) !== undefined && !isWrittenOut(played),
      )
      if (all.length === 0) throw context.undecidable('no reply of this run came from our nodes')
      for (const { answer } of all)
        if (answer !== undefined)
          expectSame(
            context,
            'of one of the replies of our nodes',
            detailComparisons(answer, context.nodes.model),
            answer,
          )
    },
  }),
  must('relay.every-request-unchanged', {
    states: ['parameters-reach-the-node'],
    needs: ['nodes'],
    sameCauseAs: [
      'relay.exchanges-in-turn',
      'relay.temperature-unchanged',
      'relay.top-p-unchanged',
      'relay.max-tokens-unchanged',
      'relay.stop-unchanged',
      'relay.messages-unchanged',
      'relay.odd-messages-unchanged',
      'relay.large-message-unchanged',
      'relay.unicode-unchanged',
      'relay.escapes-are-read',
      'relay.second-try-asks-the-same',
    ],
    phase: 'end',
    ofWholeRun: true,
    cost: { requests: 0, tokens: 0 },
    wrong: 'One of the requests at the nodes differs from what the client asked.',
    why: 'One request in a hundred that asks a node for something else is never found by trying again.',
    fix: 'Build what a node is asked only from what the client asked, whatever else is going on.',
    async run(context) {
      const played = Map.groupBy(await playedSoFar(context), ({ id }) => id)
      const records = (await context.nodes.scripted()).filter(({ scriptId = '' }) => played.has(scriptId))
      if (records.length === 0) throw context.undecidable('no request of this run reached our nodes')
      for (const { json, scriptId = '' } of records) {
        const sent = (played.get(scriptId) ?? []).map(({ asked }) => asked)
        const [first] = differencesFromClosest(sent, json)
        const what = `${first?.what ?? 'every field'} of one of ${records.length} requests at the nodes`
        context.expect(what, first?.actual).is(first?.expected)
      }
    },
  }),
  must('relay.every-reply-unchanged', {
    states: ['node-text-is-the-reply', 'choice-finish-reason', 'completion-model'],
    needs: ['nodes'],
    sameCauseAs: [
      'relay.exchanges-in-turn',
      'relay.model-is-what-was-asked',
      'relay.usage-whatever-the-node-counts',
      'relay.replies-not-mixed',
      'relay.pause-inside-a-character',
      'relay.ids-are-unique',
      'relay.any-form-of-stream',
      'relay.any-error-event-shows',
      'relay.finish-reason',
      'relay.long-lines',
      'relay.long-text',
      'relay.slow-node-is-served',
      'relay.second-try-begins-anew',
    ],
    phase: 'end',
    ofWholeRun: true,
    cost: { requests: 0, tokens: 0 },
    wrong: "One of the nodes' replies was changed on its way to the client.",
    why: 'One reply in a hundred that lost a field or a word is never found by trying again.',
    fix: 'Build every reply in the same way, and only from what its own node sent.',
    async run(context) {
      const all = (await playedSoFar(context)).flatMap((played) => {
        const expected = expectedOf(played)
        return expected === undefined || played.answer === undefined ? [] : [{ expected, answer: played.answer }]
      })
      if (all.length === 0) throw context.undecidable('no reply of this run came from our nodes')
      for (const { expected, answer } of all) {
        const comparisons = replyComparisons({ ...expected, model: context.nodes.model }, answer)
        expectSame(context, `of one of ${all.length} replies of our nodes`, comparisons, answer)
      }
    },
  }),
  should('relay.no-request-shows-a-key', {
    states: ['nodes-see-no-keys'],
    needs: ['nodes'],
    dependsOn: ['relay.key-stays-with-us'],
    sameCauseAs: ['relay.key-in-other-headers-stays'],
    phase: 'end',
    ofWholeRun: true,
    cost: { requests: 0, tokens: 0 },
    wrong: "One of the requests at the nodes shows a caller's key.",
    why: "Node operators who see callers' keys can spend the callers' money, even if it happens in one request of many.",
    fix: "Build every node's request from scratch, and pass on none of the caller's headers, on a second try either.",
    async run(context) {
      const keys = Object.values(context.target.config.keys).filter((key) => key !== undefined)
      if (keys.length === 0) throw context.notApplicable('no key is used')
      const records = await context.nodes.scripted()
      const shown = records.filter(({ headers, body }) =>
        keys.some((key) => (JSON.stringify(headers) + body).includes(key)),
      )
      if (records.length === 0) throw context.undecidable('no request of this run reached our nodes')
      context.expect("requests with a caller's key at the nodes", shown.length).is(0)
    },
  }),
])
