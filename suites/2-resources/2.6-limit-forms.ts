import { setTimeout as sleep } from 'node:timers/promises'
import { usageIn, withUsage } from '../../src/asking/billing.ts'
import { openTestAccount } from '../../src/asking/test-account.ts'
import { clause, must, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { at, numberAt } from '../../src/json.ts'
import { inTurn, inTurnUntil, untilRight } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
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

/** One request at once: waiting for those of other checks would give a limit the time to pass. */
function atOnce({ send, model }: CheckContext, key: string): Promise<Answer> {
  const request = chatRequest(model, brief, { key, burst: true })
  return untilRight(
    rules.unanswered,
    () => send(request),
    ({ status }) => status !== undefined,
  )
}

/** Asks until two requests in a row are refused, for one may be refused by chance; undecidable when that does not come. */
async function useUp(context: CheckContext, key: string, requestsMax = 8): Promise<void> {
  const isUsedUp = (answers: readonly Answer[]): boolean =>
    answers.length > 1 && answers.slice(-2).every(({ status }) => status === 429)
  const answers = await inTurnUntil(
    requestsMax,
    () => atOnce(context, key),
    (_, all) => isUsedUp(all),
  )
  if (!isUsedUp(answers)) throw context.undecidable(`${requestsMax} requests did not use the limit up`)
}

/** How long a refusal tells its client to wait; nothing where it does not say. */
function waitOf({ exchange }: Answer): readonly number[] {
  const askedMs = retryAfterMs(headerOf(exchange, 'retry-after'), Date.now())
  return askedMs === undefined ? [] : [askedMs]
}

/** Which of three requests pass a limit that was used up, in the better of two attempts: its window may begin anew. */
function passedAfter(attempt: () => Promise<readonly Answer[]>): Promise<readonly Answer[]> {
  return untilRight(
    rules.limitWindow,
    async () => (await attempt()).filter(isSuccess),
    ({ length }) => length < 2,
  )
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
      const { prepared, model, expect, send, notApplicable } = context
      const other = prepared.roster.find(({ id }) => id !== model)?.id
      if (other === undefined) throw notApplicable('the list names a single model')
      const passed = await passedAfter(async () => {
        const { key } = await openTestAccount(context, { requestsPerMinute: 2 })
        await useUp(context, key)
        return inTurn(3, () => send(chatRequest(other, brief, { key, burst: true })))
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
      const { control, expect } = context
      for (const change of ['comes', 'goes'] as const) {
        const passed = await passedAfter(async () => {
          const { key, anotherKey } = await openTestAccount(context, { requestsPerMinute: 2 })
          const old = await anotherKey({ requestsPerMinute: 2 })
          await useUp(context, key)
          if (change === 'comes') await anotherKey({ requestsPerMinute: 2 })
          else await control.deleteKey(old.id)
          return inTurn(3, () => atOnce(context, key))
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
      const { expect, sendStream, model } = context
      let decided = 0
      for (const { what, terms, body } of spending) {
        const { key } = await openTestAccount(context, { tokensPerMinute: 60, ...terms })
        const request = chatRequest(model, body, { key, burst: true })
        const ask = () => (body['stream'] === true ? sendStream(request) : context.send(request))
        const answers = await inTurnUntil(8, ask, isClientError)
        const used = answers.filter(isSuccess).reduce((sum, answer) => sum + tokensOf(answer), 0)
        const isRefused = answers.some(isClientError)
        // Whoever says little has not reached the limit.
        if (!isRefused && used < 120) continue
        decided += 1
        expect(`whether a limit of 60 tokens a minute refused ${what} of ${used} tokens`, isRefused).is(true)
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
      const { expect } = context
      const { key, anotherKey } = await openTestAccount(context, { tokensPerMinute: 60 })
      const other = await anotherKey({ tokensPerMinute: 60 })
      await useUp(context, key, 20)
      const answers = await inTurn(2, () => atOnce(context, other.key))
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
      const { expect, undecidable } = context
      const { key } = await openTestAccount(context, { requestsPerMinute: 30 })
      await useUp(context, key, burstMax)
      const refused = (await inTurn(4, () => atOnce(context, key))).filter(({ status }) => status === 429)
      const waitsMs = refused.flatMap(waitOf)
      if (waitsMs.length === 0) throw undecidable('no refusal says when the limit passes')
      let waitMs = Math.max(...waitsMs)
      if (waitMs > waitMsMax) throw undecidable('the limit does not pass within some seconds')
      const askAfterWait = async (): Promise<Answer> => {
        await sleep(waitMs + noticeMs)
        const answer = await atOnce(context, key)
        // A date names no part of a second; who is refused again is told again, and has waited once.
        waitMs = Math.min(waitMsMax, Math.max(waitMs, ...waitOf(answer)))
        return answer
      }
      const answer = await untilRight(rules.limitPasses, askAfterWait, isSuccess)
      expect('status when Retry-After is over', answer.status, answer).satisfies('a 2xx', isSuccess(answer))
    },
  }),
])
