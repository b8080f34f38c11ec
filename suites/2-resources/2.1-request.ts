import { clause, must, open, should } from '../../src/check/check.ts'
import { sideBySide } from '../../src/repeat/side-by-side.ts'
import { type Answer, isSuccess } from '../../src/target/answer.ts'
import { chatText } from '../../src/target/chat.ts'
import { failsInItsStream, isServed, unserved } from '../../src/target/served.ts'

const wrongTypes = {
  why: 'A client whose value is coerced or dropped gets, and pays for, something it did not ask for.',
  fix: 'Validate the body against a schema before anything else, and answer 4xx.',
}

export const request = clause('2.1', [
  must('request.model-required', {
    states: ['request-model-required'],
    dependsOn: ['chat.answers'],
    cost: { requests: 2, tokens: 60 },
    wrong: 'A request without a model was served.',
    why: 'The client is answered by, and pays for, a default model that it did not ask for.',
    fix: 'Refuse a request without `model` with a 4xx.',
    async run({ probe, probeStream, expect }) {
      const answer = await probe({ model: undefined })
      expect('status without model', answer.status, answer).satisfies('no 2xx', !isSuccess(answer))
      const streamed = await probeStream({ model: undefined })
      expect('status without model, streaming', streamed.status, streamed).satisfies(unserved, !isServed(streamed))
    },
  }),
  must('request.messages-required', {
    states: ['request-messages-required'],
    dependsOn: ['chat.answers'],
    cost: { requests: 2, tokens: 60 },
    wrong: 'A request without messages was served.',
    why: 'A client that sent no conversation pays for an answer to nothing.',
    fix: 'Refuse a request without `messages` with a 4xx.',
    async run({ probe, probeStream, expect }) {
      const answer = await probe({ messages: undefined })
      expect('status without messages', answer.status, answer).satisfies('no 2xx', !isSuccess(answer))
      const streamed = await probeStream({ messages: undefined })
      expect('status without messages, streaming', streamed.status, streamed).satisfies(unserved, !isServed(streamed))
    },
  }),
  should('request.model-wrong-type-refused', {
    states: ['wrong-types-are-refused'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 5, tokens: 60, quick: 2 },
    wrong: 'A model that is no string was not refused with a 4xx.',
    ...wrongTypes,
    async run({ few, probe, expect, model }) {
      await sideBySide(few([5, true, [], [model], {}]), async (value) => {
        const answer = await probe({ model: value })
        expect(`status for model: ${JSON.stringify(value)}`, answer.status, answer).isStatus('4xx')
      })
    },
  }),
  should('request.messages-wrong-type-refused', {
    states: ['wrong-types-are-refused'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 6, tokens: 60, quick: 3 },
    wrong: 'Messages that are no list were not refused with a 4xx.',
    ...wrongTypes,
    async run({ few, probe, probeStream, expect }) {
      await sideBySide(few(['hello', 5, true, {}, { role: 'user', content: 'hello' }]), async (value) => {
        const answer = await probe({ messages: value })
        expect(`status for messages: ${JSON.stringify(value)}`, answer.status, answer).isStatus('4xx')
      })
      const streamed = await probeStream({ messages: 'hello' })
      if (!failsInItsStream(streamed))
        expect('status for messages: "hello", streaming', streamed.status, streamed).isStatus('4xx')
    },
  }),
  ...(['model', 'messages'] as const).map((field) =>
    should(`request.${field}-null-refused`, {
      states: ['wrong-types-are-refused'],
      phase: 'odd',
      dependsOn: ['chat.answers'],
      // Null is read as absence.
      sameCauseAs:
        field === 'model'
          ? ['request.model-required', 'request.model-missing-is-client-error']
          : ['request.messages-required', 'request.messages-missing-not-404'],
      cost: { requests: 1, tokens: 60 },
      wrong: `A request whose ${field} is null was not refused with a 4xx.`,
      ...wrongTypes,
      async run({ probe, expect }) {
        const answer = await probe({ [field]: null })
        expect(`status for ${field}: null`, answer.status, answer).isStatus('4xx')
      },
    }),
  ),
  should('request.body-not-object-refused', {
    states: ['request-is-json'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    // A list has no messages either.
    sameCauseAs: ['request.messages-required'],
    cost: { requests: 6, tokens: 0, quick: 2 },
    wrong: 'A body that is no JSON object was not refused with a 4xx.',
    why: 'A server crashes for everybody when it reads fields from a body that is not an object.',
    fix: 'Refuse a JSON body that is not an object with a 4xx.',
    async run({ few, probe, expect }) {
      await sideBySide(few(['[]', '"text"', '5', 'null', 'true', '[{"model":"x"}]']), async (body) => {
        const answer = await probe(body)
        expect(`status for the body ${body}`, answer.status, answer).isStatus('4xx')
      })
    },
  }),
  should('request.messages-missing-not-404', {
    states: ['client-errors-are-4xx'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 5, tokens: 120, quick: 4 },
    wrong: 'A request without proper messages got a 404, or was refused with no 4xx.',
    why: 'A 404 sends users looking for a missing model when their messages are at fault.',
    fix: 'Answer 400 or 422 when `messages` is missing or malformed.',
    async run({ few, probe, probeStream, expect }) {
      for (const value of few([null, 5, 'x'])) {
        const answer = await probe({ messages: value })
        expect(`status for messages: ${JSON.stringify(value)}`, answer.status, answer).isNot(404)
      }
      for (const [mode, send] of [
        ['', probe],
        [', streaming', probeStream],
      ] as const) {
        const answer = await send({ messages: undefined })
        // Whether it may be served is another check's to judge.
        if (isSuccess(answer)) continue
        expect(`status without messages${mode}`, answer.status, answer).isStatus('4xx')
        expect(`status without messages${mode}`, answer.status, answer).isNot(404)
      }
    },
  }),
  should('request.model-missing-is-client-error', {
    states: ['client-errors-are-4xx'],
    dependsOn: ['chat.answers'],
    cost: { requests: 2, tokens: 120 },
    wrong: 'A request without a model was refused with a status that is no 4xx.',
    why: 'SDKs retry a 5xx, so a request that can never succeed is sent again and again.',
    fix: 'Answer 400 or 422 when `model` is missing.',
    async run({ probe, probeStream, prepared, expect, notApplicable }) {
      const answers: Answer[] = [await probe({ model: undefined })]
      if (prepared.works.stream) answers.push(await probeStream({ model: undefined }))
      const refused = answers.filter((answer) => !isSuccess(answer))
      if (refused.length === 0) throw notApplicable('a request without model is served, which another check reports')
      for (const answer of refused) expect('status without model', answer.status, answer).isStatus('4xx')
    },
  }),
  open('request.duplicate-fields', {
    states: ['unknown-values-open'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 3, tokens: 180, quick: 2 },
    why: 'Callers can evade limits when one part of a gateway reads the first of two equal names and another the last.',
    fix: 'Nothing to mend: the contract leaves it open. Refusing duplicates is the safest answer.',
    async run({ probe, model }) {
      const text = chatText(model, {})
      const twice = text.replace('{', '{"temperature":0,"temperature":5,')
      const unknownFirst = text.replace('{', '{"model":"assay-no-such-model",')
      return { twoTemperatures: (await probe(twice)).status, twoModels: (await probe(unknownFirst)).status }
    },
  }),
])
