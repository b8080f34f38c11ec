import { costOf, expectSpent } from '../../src/asking/billing.ts'
import { openTestAccount } from '../../src/asking/test-account.ts'
import { clause, must } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { at, listAt, textAt } from '../../src/json.ts'
import { eventually } from '../../src/repeat/eventually.ts'
import { isSuccess } from '../../src/target/answer.ts'
import { chatRequest, modelsPath } from '../../src/target/chat.ts'
import { readRoster } from '../../src/target/roster.ts'

/** A listed model that no other check uses, so that taking it down disturbs none of them. */
function spareModel({ prepared, model, target, notApplicable }: CheckContext): string {
  const spare = prepared.roster.findLast(({ id }) => id !== model && id !== target.config.nodes?.model)
  if (spare === undefined) throw notApplicable('the list names no model that the other checks can do without')
  return spare.id
}

/** How often the list names a model, once that is the expected number or the settling time is over. */
async function timesListed(
  { settled, target, expect, undecidable }: CheckContext,
  id: string,
  due: number,
): Promise<number> {
  const look = async (): Promise<number> => {
    const list = await settled({ method: 'GET', path: modelsPath })
    if (list.status === undefined || list.status === 429) throw undecidable('the list was not served')
    expect('status of the model list', list.status, list).isStatus('2xx')
    return listAt(list.json, 'data').filter((model) => textAt(model, 'id') === id).length
  }
  return eventually({ withinMs: target.config.settlingMs }, look, (times) => times === due)
}

export const takenDown = clause('7', [
  must('model.down-and-up', {
    states: ['no-node-is-503', 'list-has-available-models'],
    needs: ['control'],
    dependsOn: [
      'chat.answers',
      'models.names-a-model',
      'models.data',
      'unavailable.answers-503',
      'unavailable.answers-503-streaming',
    ],
    phase: 'last',
    safe: false,
    cost: { requests: 12, tokens: 400 },
    wrong: 'A model taken down or brought back was answered, listed or priced wrongly.',
    why: 'Clients rely on the 503 and the list, because nodes come and go.',
    fix: 'Answer 503 and hide the model from the list while no node serves it, and serve it again at once.',
    async run(context) {
      const { control, settled, expect } = context
      const model = spareModel(context)
      const chat = (stream: boolean) => settled(chatRequest(model, { stream }), 503)
      const before = Math.max(1, await timesListed(context, model, 1))
      await control.setNodes(model, 'down')
      for (const stream of [false, true]) {
        const answer = await chat(stream)
        expect(`status without a node (stream: ${stream})`, answer.status, answer).is(503)
      }
      expect('how often the list names a model without a node', await timesListed(context, model, 0)).is(0)
      await control.setNodes(model, 'up')
      const again = await settled(chatRequest(model, {}))
      expect('status when a node is back', again.status, again).isStatus('2xx')
      expect('how often the list names a model with a node', await timesListed(context, model, before)).is(before)
      const list = await settled({ method: 'GET', path: modelsPath })
      const { promptPrice, completionPrice } = context.prepared.roster.find(({ id }) => id === model) ?? {}
      const relisted = readRoster(list.json).find(({ id }) => id === model)
      expect('prices of a model that was down', [relisted?.promptPrice, relisted?.completionPrice], list).is([
        promptPrice,
        completionPrice,
      ])
    },
  }),
  must('model.costs-as-before', {
    states: ['billed-per-token', 'model-prices-apply'],
    needs: ['control'],
    dependsOn: ['model.down-and-up', 'billing.each-model-at-its-price'],
    phase: 'last',
    safe: false,
    cost: { requests: 2, tokens: 120 },
    wrong: 'A reply of a model that had been down did not cost its tokens at the listed price.',
    why: "Customers are charged wrongly when a model's price is forgotten while it is down.",
    fix: 'Change only the health of a model, and keep everything else about it.',
    async run(context) {
      const { control, settled } = context
      const model = spareModel(context)
      await control.setNodes(model, 'down')
      await settled(chatRequest(model, {}), 503)
      await control.setNodes(model, 'up')
      const account = await openTestAccount(context)
      const reply = await account.pay({ max_tokens: 16 }, model)
      const cost = costOf(context, at(reply.json, 'usage'), model)
      await expectSpent(context, account, 'a reply of a model that was down', cost, 1, reply)
    },
  }),
  must('models.none-left', {
    states: ['list-has-available-models', 'list-data'],
    needs: ['control'],
    dependsOn: ['model.down-and-up'],
    phase: 'exclusive',
    safe: false,
    cost: { requests: 1, tokens: 0 },
    wrong: 'With every model down, the data of the list is no array.',
    why: 'Clients that read lists break when an empty one becomes `null`.',
    fix: 'Answer an empty array.',
    async run(context) {
      const { control, prepared, settled, expect, undecidable } = context
      await Promise.all(prepared.roster.map(({ id }) => control.setNodes(id, 'down')))
      const list = await settled({ method: 'GET', path: modelsPath })
      await Promise.all(prepared.roster.map(({ id }) => control.setNodes(id, 'up')))
      if (!isSuccess(list)) throw undecidable(`with every model down the list was answered with ${list.status}`)
      expect('whether data is an array when every model is down', Array.isArray(at(list.json, 'data')), list).is(true)
    },
  }),
])
