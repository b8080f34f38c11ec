import { setTimeout as sleep } from 'node:timers/promises'
import { answered } from '../../src/asking/answered.ts'
import { usageIn, withUsage } from '../../src/asking/billing.ts'
import { clause, must, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { at, numberAt } from '../../src/json.ts'
import { type Answer, isClientError, isStream, isSuccess, type StreamAnswer } from '../../src/target/answer.ts'
import { type ChatBody, chatRequest } from '../../src/target/chat.ts'
import type { KeyTerms } from '../../src/target/control/control.ts'
import { retryAfterMs } from '../../src/target/pacer.ts'
import { headerOf } from '../../src/wire/transcript.ts'

/** A limit that is waited for may take this long to let requests through again. */
const waitMsMax = 3000
const noticeMs = 300
/** More requests than a limit of 30 a minute lets through, even where its window begins anew. */
const burstMax = 70

const brief = { max_tokens: 1 }

/** One request at once: waiting behind those of other checks would give a limit the time to pass. */
function once({ send, model }: CheckContext, key: string): Promise<Answer> {
  return answered(() => send(chatRequest(model, brief, { key, burst: true })))
}

/** Asks until two requests in a row are refused, for one may be refused by chance; undecidable when that does not come. */
async function useUp(context: CheckContext, key: string, requestsMax = 8): Promise<void> {
  let refused = 0
  for (let turn = 0; turn < requestsMax; turn += 1) {
    const { status } = await once(context, key)
    refused = status === 429 ? refused + 1 : 0
    if (refused === 2) return
  }
  throw context.undecidable(`${requestsMax} requests did not use the limit up`)
}

/** How long a refusal tells its client to wait; nothing where it does not say. */
function waitOf({ exchange }: Answer): readonly number[] {
  const askedMs = retryAfterMs(headerOf(exchange, 'retry-after'), Date.now())
  return askedMs === undefined ? [] : [askedMs]
}

/** How many of three requests a limit lets through that was used up, in the better of two attempts: its window may begin anew. */
async function passedBehind(attempt: () => Promise<readonly Answer[]>): Promise<readonly Answer[]> {
  const first = (await attempt()).filter(isSuccess)
  if (first.length < 2) return first
  return (await attempt()).filter(isSuccess)
}

async function inTurn<T>(ask: () => Promise<T>, times: number): Promise<readonly T[]> {
  const answers: T[] = []
  for (let turn = 0; turn < times; turn += 1) answers.push(await ask())
  return answers
}

/** The tokens that a reply or a stream says it has used. */
function tokensOf(answer: Answer | StreamAnswer): number {
  const usage = isStream(answer) ? usageIn(answer) : at(answer.json, 'usage')
  return numberAt(usage, 'total_tokens') ?? 0
}

/** Ways to use tokens, each of which a limit of 60 a minute must stop within eight requests. */
const spending: readonly {
  readonly what: string
  readonly terms?: Partial<KeyTerms>
  readonly body: ChatBody
}[] = [
  { what: 'replies', body: { max_tokens: 40 } },
  { what: 'replies of a key with two limits', terms: { requestsPerMinute: 6000 }, body: { max_tokens: 40 } },
  { what: 'streams', body: { max_tokens: 40, stream: true, ...withUsage } },
  {
    what: 'prompts',
    body: { messages: [{ role: 'user', content: 'The tide comes in and goes out. '.repeat(4) }], max_tokens: 1 },
  },
]

/** Limits of a key together with models, modes, siblings and time. */
export const limitForms = clause('2.6', [
  should('key.limit-counts-every-model', {
    states: ['limits-are-enforced'],
    needs: ['control'],
    dependsOn: ['key.limit-is-its-own'],
    safe: false,
    cost: { requests: 22, tokens: 660 },
    why: 'A limit for each model is no limit of the key: whoever knows four models has it four times.',
    fix: 'Take from one count, whichever model is asked for.',
    async run(context) {
      const { purse, prepared, model, expect, send, notApplicable } = context
      const other = prepared.roster.find(({ id }) => id !== model)?.id
      if (other === undefined) throw notApplicable('the list names a single model')
      const passed = await passedBehind(async () => {
        const { key } = await purse({ requestsPerMinute: 2 })
        await useUp(context, key)
        return inTurn(() => send(chatRequest(other, brief, { key, burst: true })), 3)
      })
      expect(
        'requests let through for another model when the limit is used up, of 3',
        passed.length,
        passed[0],
      ).isAtMost(1)
    },
  }),
  should('key.limit-is-not-refilled', {
    states: ['limits-are-enforced'],
    needs: ['control'],
    dependsOn: ['key.limit-is-its-own'],
    safe: false,
    cost: { requests: 44, tokens: 1320 },
    why: 'Who may make keys would have no limit at all.',
    fix: 'Let nothing touch the count of a key but its own requests and time.',
    async run(context) {
      const { purse, control, expect } = context
      for (const change of ['comes', 'goes'] as const) {
        const passed = await passedBehind(async () => {
          const { key, anotherKey } = await purse({ requestsPerMinute: 2 })
          const old = await anotherKey({ requestsPerMinute: 2 })
          await useUp(context, key)
          if (change === 'comes') await anotherKey({ requestsPerMinute: 2 })
          else await control.deleteKey(old.id)
          return inTurn(() => once(context, key), 3)
        })
        const what = `requests let through beyond the limit when another key of the account ${change}, of 3`
        expect(what, passed.length, passed[0]).isAtMost(1)
      }
    },
  }),
  should('key.token-limit-counts-everything', {
    states: ['limits-are-enforced'],
    needs: ['control'],
    dependsOn: ['key.token-limit-holds', 'stream.answers'],
    safe: false,
    cost: { requests: 32, tokens: 1600 },
    why: 'What a limit of tokens does not count is how it is passed: long prompts, streams, a second limit.',
    fix: 'Count prompt and completion tokens alike, in both modes, beside any other limit.',
    async run(context) {
      const { purse, expect, sendStream, model } = context
      let decided = 0
      for (const { what, terms, body } of spending) {
        const { key } = await purse({ tokensPerMinute: 60, ...terms })
        const request = chatRequest(model, body, { key, burst: true })
        let used = 0
        let refused = 0
        for (let turn = 0; turn < 8 && refused === 0; turn += 1) {
          const answer = body['stream'] === true ? await sendStream(request) : await context.send(request)
          if (isSuccess(answer)) used += tokensOf(answer)
          else if (isClientError(answer)) refused += 1
        }
        // Whoever says little has not reached the limit.
        if (refused === 0 && used < 120) continue
        decided += 1
        expect(`whether a limit of 60 tokens a minute refused ${what} of ${used} tokens`, refused > 0).is(true)
      }
      if (decided === 0) throw context.undecidable('the replies were too short to reach a limit of 60 tokens a minute')
    },
  }),
  must('key.token-limit-is-its-own', {
    states: ['key-own-limits'],
    needs: ['control'],
    dependsOn: ['key.token-limit-holds'],
    safe: false,
    cost: { requests: 22, tokens: 440 },
    why: 'One long job must not stop the production of the same account.',
    fix: 'Keep the count of tokens for each key.',
    async run(context) {
      const { purse, expect } = context
      const { key, anotherKey } = await purse({ tokensPerMinute: 60 })
      const other = await anotherKey({ tokensPerMinute: 60 })
      await useUp(context, key, 20)
      const answers = await inTurn(() => once(context, other.key), 2)
      const passed = answers.filter(isSuccess).length
      expect('requests of another key let through, of 2', passed, answers[0]).isAtLeast(1)
    },
  }),
  should('key.limit-passes', {
    states: ['limits-are-enforced'],
    needs: ['control'],
    dependsOn: ['key.limit-is-its-own'],
    safe: false,
    cost: { requests: burstMax + 6, tokens: 2200 },
    why: 'Clients wait as they are told; a key that stays locked needs a person to free it.',
    fix: 'Let time alone give back what a limit has taken; refused requests take nothing.',
    async run(context) {
      const { purse, expect, undecidable } = context
      const { key } = await purse({ requestsPerMinute: 30 })
      await useUp(context, key, burstMax)
      const refused = (await inTurn(() => once(context, key), 4)).filter(({ status }) => status === 429)
      const waitsMs = refused.flatMap(waitOf)
      if (waitsMs.length === 0) throw undecidable('no refusal says when the limit passes')
      let waitMs = Math.max(...waitsMs)
      if (waitMs > waitMsMax) throw undecidable('the limit does not pass within some seconds')
      let answer: Answer | undefined
      for (let turn = 0; turn < 4 && (answer === undefined || !isSuccess(answer)); turn += 1) {
        await sleep(waitMs + noticeMs)
        answer = await once(context, key)
        // A date names no part of a second; who is refused again is told again, and has waited once.
        waitMs = Math.min(waitMsMax, Math.max(waitMs, ...waitOf(answer)))
      }
      expect('status when Retry-After is over', answer?.status, answer).satisfies(
        'a 2xx',
        answer !== undefined && isSuccess(answer),
      )
    },
  }),
])
