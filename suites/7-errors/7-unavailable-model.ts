import { holdServedAfter } from '../../src/asking/served-after.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { listAt } from '../../src/json.ts'
import { sideBySide } from '../../src/repeat/side-by-side.ts'
import { type Answer, isReadableError } from '../../src/target/answer.ts'
import { type ChatBody, chatRequest } from '../../src/target/chat.ts'
import type { Prepared } from '../../src/target/prepare.ts'
import { isServed, unserved } from '../../src/target/served.ts'
import { headerOf } from '../../src/wire/transcript.ts'

const others = { messages: [{ role: 'user', content: 'Say hello to the others.' }] }
const outage = {
  why: 'Clients retry and fall back by the status: 503 means "later", 404 "never", and 200 that nothing is wrong.',
  fix: 'Answer 503 before the first byte of a reply when no node serves a model that you know.',
}

/** Requests that a gateway may answer from elsewhere: short ones, long ones, predictable ones. */
const unservedBodies: readonly ChatBody[] = [
  { max_tokens: 1 },
  { temperature: 0, stop: ['\n'] },
  { max_tokens: undefined, top_p: 0.5 },
]

/** The settled answer for the model that no node serves. */
function askUnavailable({ settled, target }: CheckContext, body: ChatBody = {}): Promise<Answer> {
  return settled(chatRequest(target.config.unavailableModel ?? '', body), 503)
}

/** A server whose streams fail is told so by another check; what it does without them is judged all the same. */
function modesOf({ works }: Prepared): readonly boolean[] {
  return works.stream ? [false, true] : [false]
}

/** Ids that routers split, look up in the wrong place or store in a column that is too short. */
const oddIds = [
  'assay/no:such',
  'assay/no/such/model',
  '../models',
  '',
  '__proto__',
  'constructor',
  ' ',
  '\u0000',
  '模型 "x"',
  'x'.repeat(5000),
]

export const unavailableModel = clause('7', [
  must('unavailable.answers-503', {
    states: ['no-node-is-503'],
    phase: 'early',
    needs: ['unavailable-model'],
    dependsOn: ['chat.answers'],
    cost: { requests: 2, tokens: 0 },
    wrong: 'A request for a model without a node was not answered with 503.',
    ...outage,
    async run(context) {
      for (let turn = 0; turn < 2; turn += 1) {
        const answer = await askUnavailable(context)
        context.expect('status for a model that no node serves', answer.status, answer).is(503)
      }
    },
  }),
  must('unavailable.answers-503-streaming', {
    states: ['no-node-is-503'],
    phase: 'early',
    needs: ['unavailable-model'],
    dependsOn: ['stream.answers'],
    cost: { requests: 2, tokens: 0 },
    wrong: 'A stream of a model without a node was not answered with 503.',
    ...outage,
    async run(context) {
      for (let turn = 0; turn < 2; turn += 1) {
        const answer = await askUnavailable(context, { stream: true })
        context.expect('status for a model that no node serves, streaming', answer.status, answer).is(503)
      }
    },
  }),
  must('unavailable.whatever-is-asked', {
    states: ['no-node-is-503'],
    needs: ['unavailable-model'],
    dependsOn: [
      'unavailable.answers-503',
      'unavailable.answers-503-streaming',
      'max-tokens.accepted',
      'temperature.in-range-accepted',
      'top-p.in-range-accepted',
      'stop.array-accepted',
    ],
    cost: { requests: 6, tokens: 0 },
    wrong: 'Some kind of request for a model without a node was not answered with 503.',
    ...outage,
    async run(context) {
      for (const body of unservedBodies)
        for (const stream of [false, true]) {
          const answer = await askUnavailable(context, { ...body, stream })
          context
            .expect(`status for ${JSON.stringify(body)} of a model that no node serves`, answer.status, answer)
            .is(503)
        }
    },
  }),
  must('unavailable.others-served', {
    states: ['no-node-is-503', 'listed-models-answer'],
    needs: ['unavailable-model'],
    dependsOn: ['chat.answers', 'stream.answers'],
    cost: { requests: 20, tokens: 1000 },
    wrong: 'Other models were not served after requests for a model without a node.',
    coversNoReply: true,
    why: 'Users of other models must not suffer from a model without nodes.',
    fix: 'Keep health and back-off separately for each model.',
    async run(context) {
      const { send, ask, askStream, target, expect } = context
      const id = target.config.unavailableModel ?? ''
      const askFourTimes = async (): Promise<void> => {
        for (let turn = 0; turn < 4; turn += 1) await send(chatRequest(id, { stream: turn % 2 === 1 }))
      }
      await holdServedAfter(context, 'requests for a model without a node', others, askFourTimes)
      const reply = await ask(others)
      expect("choices of another model's reply right after", listAt(reply.json, 'choices').length, reply).isAtLeast(1)
      const stream = await askStream(others)
      expect('data events of another model right after', stream.chunks.length, stream).isAtLeast(1)
    },
  }),
  should('unavailable.body-readable', {
    states: ['error-body-readable'],
    needs: ['unavailable-model'],
    dependsOn: ['unavailable.answers-503', 'unavailable.answers-503-streaming'],
    cost: { requests: 2, tokens: 0 },
    wrong: 'The error for a model without a node broke off or is not readable.',
    why: 'Clients lose the connection when an announced error body is not sent, and the status when it is HTML.',
    fix: 'Send the error as JSON or plain text with its true length, or without a body.',
    async run(context) {
      for (const stream of [false, true]) {
        const answer = await askUnavailable(context, { stream })
        context.expect('end of the error', answer.exchange.ending, answer).is('complete')
        context
          .expect('body of the error', answer.text.slice(0, 200), answer)
          .satisfies('JSON, plain text or nothing', isReadableError(answer))
      }
    },
  }),
  should('unavailable.bad-request-still-refused', {
    states: ['client-errors-are-4xx'],
    needs: ['unavailable-model'],
    dependsOn: [
      'unavailable.answers-503',
      'temperature.above-range-refused',
      'temperature.out-of-range-is-client-error',
    ],
    cost: { requests: 1, tokens: 0 },
    wrong: 'A bad request to a model without nodes got neither a 4xx nor a 503.',
    why: 'A client whose request can never succeed must not be billed for a success.',
    fix: 'Never answer such a request with a 2xx.',
    async run(context) {
      const answer = await askUnavailable(context, { temperature: 9 })
      context.expect('status for a bad request to a model without nodes', answer.status, answer).isStatus('4xx', 503)
    },
  }),
  open('unavailable.retry-after', {
    states: ['error-body-open'],
    needs: ['unavailable-model'],
    dependsOn: ['unavailable.answers-503'],
    cost: { requests: 1, tokens: 0 },
    why: 'Clients that are told when to come back do not hammer the gateway.',
    fix: 'Nothing to mend: the contract leaves it open. `Retry-After` in seconds is what clients honour.',
    async run({ send, target }) {
      const answer = await send(chatRequest(target.config.unavailableModel ?? '', {}))
      return { retryAfter: headerOf(answer.exchange, 'retry-after') ?? null, body: answer.text.slice(0, 300) }
    },
  }),
  must('unknown-model.refused', {
    states: ['unknown-model-is-refused'],
    phase: 'early',
    dependsOn: ['chat.answers'],
    cost: { requests: 8, tokens: 60, quick: 4 },
    wrong: 'An unknown model was served.',
    why: 'Clients trust, and pay for, the reply of a model that they did not ask for.',
    fix: 'Refuse an unknown model id, and never silently fall back to another model.',
    async run({ few, probe, settled, nonce, model, prepared, expect }) {
      const look = (what: string, answer: Answer): void =>
        expect(`status for the unknown model ${what}`, answer.status, answer).satisfies(unserved, !isServed(answer))
      const id = `assay-${nonce()}`
      const first = await probe({ model: id })
      look(id, first)
      // A 503 that outlasted its repeats is how this gateway refuses: the next one is not waited out again.
      const ask = (body: ChatBody): Promise<Answer> =>
        first.status === 503 ? settled(chatRequest('', body), 503) : probe(body)
      if (prepared.works.stream) look(`${id}, streaming`, await ask({ model: id, stream: true }))
      const others = [`${model}-${nonce()}`, `${model}:${nonce()}`, `${nonce()}/${model}`]
      const inBothModes = others.flatMap((other) => modesOf(prepared).map((stream) => ({ other, stream })))
      await sideBySide(few(inBothModes), async ({ other, stream }) =>
        look(stream ? `${other}, streaming` : other, await ask({ model: other, stream })),
      )
    },
  }),
  should('unknown-model.no-server-error', {
    states: ['client-errors-are-4xx'],
    dependsOn: ['chat.answers'],
    cost: { requests: 12, tokens: 0, quick: 4 },
    wrong: 'An unknown model was answered with neither a 4xx nor a 503.',
    why: 'Every SDK retries a 500 or 502, and users with a mistyped id wait for nothing.',
    fix: 'Answer 404 or 400, or 503 if you cannot tell an unknown model from an unserved one.',
    async run({ few, settled, nonce, prepared, expect, notApplicable }) {
      // A 503 is as good as a 4xx here, so none is waited out.
      const ask = (body: ChatBody): Promise<Answer> => settled(chatRequest('', body), 503)
      let refused = 0
      const look = (what: string, answer: Answer): void => {
        // Whether it may be served is another check's to judge.
        if (isServed(answer)) return
        refused += 1
        expect(`status for ${what}`, answer.status, answer).isStatus('4xx', 503)
      }
      for (const stream of modesOf(prepared))
        look(`an unknown model, stream: ${stream}`, await ask({ model: `assay-${nonce()}`, stream }))
      await sideBySide(few(oddIds), async (id) =>
        look(`the model ${JSON.stringify(id.slice(0, 40))}`, await ask({ model: id })),
      )
      if (refused === 0) throw notApplicable('every unknown model is served, which another check reports')
    },
  }),
  open('errors.shape', {
    states: ['error-body-open'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 3, tokens: 0 },
    why: "Clients adapt to each gateway's error statuses and bodies, which are left open.",
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ probe }) {
      const cases = {
        badJson: await probe('{'),
        badTemperature: await probe({ temperature: 9 }),
        unknownModel: await probe({ model: 'assay-no-such-model' }),
      }
      return Object.fromEntries(
        Object.entries(cases).map(([name, answer]) => [
          name,
          { status: answer.status, body: answer.text.slice(0, 300) },
        ]),
      )
    },
  }),
])
