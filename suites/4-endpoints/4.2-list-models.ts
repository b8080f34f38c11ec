import { clause, must, open } from '../../src/check/check.ts'
import { isSuccess } from '../../src/target/answer.ts'
import { modelsPath } from '../../src/target/chat.ts'
import { readRoster } from '../../src/target/roster.ts'
import { mediaType } from '../../src/wire/transcript.ts'

const list = { method: 'GET', path: modelsPath } as const

export const listModels = clause('4.2', [
  must('models.content-type', {
    states: ['models-get-lists'],
    dependsOn: ['models.names-a-model'],
    cost: { requests: 1, tokens: 0 },
    why: 'Clients refuse a list that is labelled as text.',
    fix: 'Send `Content-Type: application/json` with the list.',
    async run({ modelList, expect }) {
      const answer = await modelList()
      expect('media type of the model list', mediaType(answer.exchange), answer).is('application/json')
    },
  }),
  must('models.stable', {
    states: ['models-get-lists'],
    dependsOn: ['models.names-a-model'],
    cost: { requests: 6, tokens: 0 },
    why: 'A list that fails now and then leaves clients without models.',
    fix: 'Answer every request for the list with the list.',
    async run({ settled, expect, undecidable }) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => settled(list)))
      const passing = answers.filter(({ status }) => status !== 429 && status !== 503 && status !== undefined)
      if (passing.length === 0) throw undecidable('the list was refused for the moment every time')
      for (const answer of passing) expect('ids in the model list', readRoster(answer.json).length, answer).isAtLeast(1)
    },
  }),
  open('models.needs-key', {
    states: ['models-key-open'],
    dependsOn: ['models.names-a-model'],
    cost: { requests: 2, tokens: 0 },
    why: 'Whether the list is public is left open.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ send }) {
      const bare = await send({ ...list, key: null })
      const wrong = await send({ ...list, key: 'sk-assay-not-a-key' })
      return { withoutKey: bare.status, withWrongKey: wrong.status, public: isSuccess(bare) }
    },
  }),
])
