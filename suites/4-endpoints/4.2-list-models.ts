import { openTestAccount } from '../../src/asking/test-account.ts'
import { clause, must, open } from '../../src/check/check.ts'
import { untilRight } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
import { type Answer, isRefusedForNow, isSuccess } from '../../src/target/answer.ts'
import { chatRequest, modelsPath } from '../../src/target/chat.ts'
import { readRoster } from '../../src/target/roster.ts'
import { mediaType } from '../../src/wire/transcript.ts'

const list = { method: 'GET', path: modelsPath } as const

export const listModels = clause('4.2', [
  must('models.content-type', {
    states: ['models-get-lists'],
    phase: 'first',
    dependsOn: ['models.names-a-model'],
    cost: { requests: 0, tokens: 0 },
    wrong: 'The media type of the model list is not application/json.',
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
    cost: { requests: 6, tokens: 0, quick: 5 },
    wrong: 'The model list, asked for several times, did not name models each time.',
    why: 'Clients are left without models when the list sometimes fails.',
    fix: 'Answer every request for the list with the list.',
    async run({ settled, expect, undecidable }) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => settled(list)))
      const passing = answers.filter((answer) => !isRefusedForNow(answer) && answer.status !== undefined)
      if (passing.length === 0) throw undecidable('the list was temporarily refused every time')
      for (const answer of passing) expect('ids in the model list', readRoster(answer.json).length, answer).isAtLeast(1)
    },
  }),
  must('models.for-every-key', {
    states: ['models-get-lists'],
    needs: ['control'],
    dependsOn: ['models.stable', 'key.works-at-once'],
    safe: false,
    cost: { requests: 3, tokens: 0 },
    wrong: 'The model list was not served to a new key, or was empty for it.',
    why: 'Clients with a valid key must be able to see which models there are.',
    fix: 'Keep limits and accounts out of the list.',
    async run(context) {
      const { settled, modelList, expect } = context
      const { key, anotherKey } = await openTestAccount(context)
      const limited = await anotherKey({ requestsPerMinute: 600, tokensPerMinute: 600_000 })
      const ids = readRoster((await modelList()).json).map(({ id }) => id)
      for (const [what, one] of [
        ['a new key', key],
        ['a key with limits', limited.key],
      ] as const) {
        const answer = await settled({ ...list, key: one })
        expect(`status of the list for ${what}`, answer.status, answer).isStatus('2xx')
        const listed = readRoster(answer.json).map(({ id }) => id)
        expect(`ids in the list for ${what}`, listed.length, answer).isAtLeast(Math.min(1, ids.length))
      }
    },
  }),
  must('models.listed-while-busy', {
    states: ['list-has-available-models'],
    dependsOn: ['models.stable', 'stream.answers'],
    cost: { requests: 6, tokens: 700, quick: 2 },
    wrong: 'The list did not name a model while it served a stream.',
    why: 'Users think a model is broken when it vanishes from the list while it is busy.',
    fix: 'List every model that is served, however busy it is.',
    async run({ settled, sendStream, prepared, model, expect, undecidable }) {
      if (!prepared.roster.some(({ id }) => id === model))
        throw undecidable(`the list did not name ${model} at the start either`)
      const messages = [{ role: 'user', content: 'Tell the story of a lighthouse in 150 words.' }]
      const request = chatRequest(model, { messages, max_tokens: 200, stream: true })
      const listBesideStream = async (): Promise<Answer> => {
        const underWay = Promise.withResolvers<true>()
        const stream = sendStream(request, { onFirstContent: () => underWay.resolve(true) })
        const listed = Promise.race([underWay.promise, stream.then(() => false)]).then((isUnderWay) =>
          isUnderWay ? settled(list) : undefined,
        )
        const [answer] = await Promise.all([listed, stream])
        if (answer === undefined || !isSuccess(answer)) throw undecidable('the list was not served during a stream')
        return answer
      }
      const isListed = ({ json }: Answer): boolean => readRoster(json).some(({ id }) => id === model)
      const answer = await untilRight(rules.relisted, listBesideStream, isListed)
      expect('whether the list names a model during its stream', isListed(answer), answer).is(true)
    },
  }),
  open('models.needs-key', {
    states: ['models-key-open'],
    phase: 'odd',
    dependsOn: ['models.names-a-model'],
    cost: { requests: 2, tokens: 0 },
    why: 'Clients want to know whether the list needs a key.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ send }) {
      const bare = await send({ ...list, key: null })
      const wrong = await send({ ...list, key: 'sk-assay-not-a-key' })
      return { withoutKey: bare.status, withWrongKey: wrong.status, public: isSuccess(bare) }
    },
  }),
])
