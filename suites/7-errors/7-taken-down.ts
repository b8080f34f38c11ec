import { clause, must } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { isSuccess } from '../../src/target/answer.ts'
import { chatRequest, modelsPath } from '../../src/target/chat.ts'
import { listAt, textAt } from '../../src/target/json.ts'

/** A listed model that the other checks do not use, so that nothing else notices when it goes. */
function spareModel({ prepared, model, target, notApplicable }: CheckContext): string {
  const spare = prepared.roster.findLast(({ id }) => id !== model && id !== target.config.nodes?.model)
  if (spare === undefined) throw notApplicable('the list names a single model, which the other checks need')
  return spare.id
}

async function isListed({ settled, undecidable }: CheckContext, id: string): Promise<boolean> {
  const list = await settled({ method: 'GET', path: modelsPath })
  if (!isSuccess(list)) throw undecidable('the list did not come')
  return listAt(list.json, 'data').some((model) => textAt(model, 'id') === id)
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
    why: 'Nodes come and go: clients go by the 503, and by the list.',
    fix: 'Answer 503 as long as no node serves the model, leave it out of the list, and serve it again at once.',
    async run(context) {
      const { control, settled, expect } = context
      const model = spareModel(context)
      const chat = (stream: boolean) => settled(chatRequest(model, { stream }), 503)
      await control.setNodes(model, 'down')
      for (const stream of [false, true]) {
        const answer = await chat(stream)
        expect(`status without a node (stream: ${stream})`, answer.status, answer).is(503)
      }
      expect('the list names a model without a node', await isListed(context, model)).is(false)
      await control.setNodes(model, 'up')
      const again = await settled(chatRequest(model, {}))
      expect('status when a node is back', again.status, again).satisfies('a 2xx', isSuccess(again))
      expect('the list names a model with a node', await isListed(context, model)).is(true)
    },
  }),
])
