import { setTimeout as sleep } from 'node:timers/promises'
import { usageIn, withUsage } from '../../src/asking/billing.ts'
import { isLetThrough, saysSomething } from '../../src/asking/limits.ts'
import { openTestAccount } from '../../src/asking/test-account.ts'
import { clause, must, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { at, numberAt } from '../../src/json.ts'
import { inTurn, inTurnUntil, untilRight } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
import { type Answer, isClientError, isStream, isSuccess, type StreamAnswer } from '../../src/target/answer.ts'
import { type ChatBody, chatRequest } from '../../src/target/chat.ts'
import type { KeyTerms } from '../../src/target/control/control.ts'
import { retryAfterMs } from '../../src/wire/retry-after.ts'
import { headerOf } from '../../src/wire/transcript.ts'

/** The longest that a check waits for a limit to let requests through again. */
const waitMsMax = 3000
const noticeMs = 300
/** More requests than a limit of 30 a minute lets through, even when a new window begins. */
const burstMax = 70

const brief = { max_tokens: 1 }

/** One request, sent at once: waiting for those of other checks would give a limit time to pass. */
function atOnce({ send, model }: CheckContext, key: string): Promise<Answer> {
  const request = chatRequest(model, brief, { key, burst: true })
  return untilRight(rules.letThrough, () => send(request), saysSomething)
}

/** Asks until two requests in a row are refused, as one may be by chance; undecidable if that never happens. */
async function useUp(context: CheckContext, key: string, requestsMax = 8): Promise<void> {
  const isUsedUp = (answers: readonly Answer[]): boolean =>
    answers.length > 1 && answers.slice(-2).every(({ status }) => status === 429)
  const answers = await inTurnUntil(
    requestsMax,
    () => atOnce(context, key),
    (_, all) => isUsedUp(all),
  )
  if (!isUsedUp(answers)) throw context.undecidable(`${requestsMax} requests did not use up the limit`)
}

/** How long a refusal tells its client to wait; nothing if it does not say. */
function waitOf({ exchange }: Answer): readonly number[] {
  const askedMs = retryAfterMs(headerOf(exchange, 'retry-after'), Date.now())
  return askedMs === undefined ? [] : [askedMs]
}

/** Which requests pass a used-up limit, in the better of two attempts, as a new window may begin in one. */
function passedAfter(attempt: () => Promise<readonly Answer[]>): Promise<readonly Answer[]> {
  return untilRight(
    rules.limitWindow,
    async () => (await attempt()).filter(isSuccess),
    ({ length }) => length < 2,
  )
}

/** The tokens that a reply or a stream says it used. */
function tokensOf(answer: Answer | StreamAnswer): number {
  const usage = isStream(answer) ? usageIn(answer) : at(answer.json, 'usage')
  return numberAt(usage, 'total_tokens') ?? 0
}

/** Ways to use tokens; a limit of 60 a minute must stop each within eight requests. */
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

/** A key's limits across models, modes, other keys of the account and time. */
export const limitForms = clause('2.6', [
  should('key.limit-counts-every-model', {
    states: ['limits-are-enforced'],
    needs: ['control'],
    dependsOn: ['key.limit-is-its-own'],
    safe: false,
    cost: { requests: 22, tokens: 660 },
    wrong: 'A used-up limit let requests for another model through.',
    why: 'A caller of four models gets four times the limit that the service meant to set.',
    fix: 'Keep one count per key, whichever model is asked for.',
    async run(context) {
      const { prepared, model, expect, send, notApplicable } = context
      const other = prepared.roster.find(({ id }) => id !== model)?.id
      if (other === undefined) throw notApplicable(`the list names no model besides ${model}`)
      const passed = await passedAfter(async () => {
        const { key } = await openTestAccount(context, { requestsPerMinute: 2 })
        await useUp(context, key)
        return inTurn(3, () => send(chatRequest(other, brief, { key, burst: true })))
      })
      expect(
        'requests let through for another model after the limit was used up, of 3',
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
    wrong: 'A used-up limit let requests through when another key was made or deleted.',
    why: 'Callers who may create keys would have no limit at all.',
    fix: "Let only a key's own requests and time change its count.",
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
    wrong: 'A token limit was exceeded by replies, streams or prompts, and refused none.',
    why: 'Callers evade a token limit through what it does not count: long prompts, streams, a second limit.',
    fix: 'Count prompt and completion tokens in both modes, whatever other limits the key has.',
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
        // A model that says little does not reach the limit.
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
    wrong: 'A key was refused after another key had used up its token limit.',
    why: "A team's long job must not stop its production.",
    fix: 'Count tokens for each key separately.',
    async run(context) {
      const { expect } = context
      const { key, anotherKey } = await openTestAccount(context, { tokensPerMinute: 60 })
      const other = await anotherKey({ tokensPerMinute: 60 })
      await useUp(context, key, 20)
      expect('whether another key is let through', await isLetThrough(context, other.key)).is(true)
    },
  }),
  should('key.limit-passes', {
    states: ['limits-are-enforced'],
    needs: ['control'],
    dependsOn: ['key.limit-is-its-own'],
    safe: false,
    cost: { requests: burstMax + 6, tokens: 2200 },
    wrong: 'A request sent after the wait that Retry-After asks for was not served.',
    why: 'Clients that wait as told stay locked out until a person frees their key.',
    fix: 'Restore a limit as time passes, and take nothing from it for refused requests.',
    async run(context) {
      const { expect, undecidable } = context
      const { key } = await openTestAccount(context, { requestsPerMinute: 30 })
      await useUp(context, key, burstMax)
      const refused = (await inTurn(4, () => atOnce(context, key))).filter(({ status }) => status === 429)
      const waitsMs = refused.flatMap(waitOf)
      if (waitsMs.length === 0) throw undecidable('no refusal says when the limit passes')
      let waitMs = Math.max(...waitsMs)
      if (waitMs > waitMsMax) throw undecidable('the limit does not pass within a few seconds')
      const askAfterWait = async (): Promise<Answer> => {
        await sleep(waitMs + noticeMs)
        const answer = await atOnce(context, key)
        // A date has no fractions of a second, so a client may be refused once more, with a new time to wait.
        waitMs = Math.min(waitMsMax, Math.max(waitMs, ...waitOf(answer)))
        return answer
      }
      const answer = await untilRight(rules.limitPasses, askAfterWait, isSuccess)
      expect('status after waiting as long as Retry-After says', answer.status, answer).isStatus('2xx')
    },
  }),
])
