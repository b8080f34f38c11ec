import { setTimeout as sleep } from 'node:timers/promises'
import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { isSuccess } from '../../src/target/answer.ts'
import { chatRequest } from '../../src/target/chat.ts'
import type { KeyUsage } from '../../src/target/control.ts'
import { numberAt } from '../../src/target/json.ts'
import { headerOf } from '../../src/wire/transcript.ts'

const keyShape = /^sk-[a-z0-9]+-/
const pollMs = 25

/** The usage of a key once it counts so many requests, or when the settling time is over. */
async function usageOf({ control, target }: CheckContext, keyId: string, requests: number): Promise<KeyUsage> {
  const endMs = performance.now() + target.config.settlingMs
  let usage = await control.keyUsage(keyId)
  while (usage.requests < requests && performance.now() < endMs) {
    await sleep(pollMs)
    usage = await control.keyUsage(keyId)
  }
  return usage
}

/** Statuses of requests that are sent one after the other. */
async function statusesInTurn({ send, sendStream, model }: CheckContext, key: string, count: number, stream = false) {
  const statuses: (number | undefined)[] = []
  for (let turn = 0; turn < count; turn += 1) {
    const answer = stream
      ? await sendStream(chatRequest(model, { max_tokens: 1, stream: true }, { key }))
      : await send(chatRequest(model, { max_tokens: 1 }, { key }))
    statuses.push(answer.status)
  }
  return statuses
}

/** Whether a key is let through: a refusal that is not the key's own passes when it is asked again. */
async function isLetThrough({ send, model }: CheckContext, key: string): Promise<boolean> {
  for (let turn = 0; turn < 4; turn += 1) {
    // At once: waiting behind the requests of other checks would give a limit the time to pass.
    const answer = await send(chatRequest(model, { max_tokens: 1 }, { key, burst: true }))
    if (isSuccess(answer)) return true
  }
  return false
}

const limited = (statuses: readonly (number | undefined)[]): number =>
  statuses.filter((status) => status === 429).length

export const apiKey = clause('2.6', [
  must('key.prefix', {
    states: ['key-prefix'],
    needs: ['control'],
    safe: false,
    cost: { requests: 0, tokens: 0 },
    why: 'Scanners find leaked keys by their prefix, and people tell services apart by it.',
    fix: 'Make keys of `sk-`, the short name of the service, a dash, and a long random part.',
    async run({ purse, expect }) {
      const { key, anotherKey } = await purse()
      const { key: other } = await anotherKey()
      expect('the beginning of a new key', key.slice(0, 24).replace(/[^-]{4}$/, '…')).satisfies(
        `text that matches ${keyShape}`,
        keyShape.test(key),
      )
      const [, prefix] = /^(sk-[a-z0-9]+-)/.exec(key) ?? []
      expect('the prefix of two keys', other.startsWith(prefix ?? 'no prefix')).is(true)
      expect('two new keys', key === other).is(false)
    },
  }),
  must('key.works-at-once', {
    states: ['fresh-key-works'],
    needs: ['control'],
    dependsOn: ['chat.answers'],
    safe: false,
    cost: { requests: 6, tokens: 360 },
    why: 'A key that is refused for its first minute fails every setup script.',
    fix: 'Make a new key known everywhere before it is shown.',
    async run({ purse, probe, expect }) {
      const { key, anotherKey } = await purse()
      for (const fresh of [key, (await anotherKey()).key, (await anotherKey()).key]) {
        const answer = await probe({}, { key: fresh })
        expect('status with a key that is a moment old', answer.status, answer).satisfies('a 2xx', isSuccess(answer))
      }
    },
  }),
  must('key.shown-once', {
    states: ['key-shown-once'],
    needs: ['control'],
    dependsOn: ['key.works-at-once'],
    safe: false,
    cost: { requests: 3, tokens: 180 },
    why: 'A key that can be read again can be read by somebody else.',
    fix: 'Keep a hash of the key, so that nothing can show it after its creation.',
    async run({ purse, control, send, model, expect }) {
      const { key, keyId, accountId } = await purse()
      const answers = [
        await send(chatRequest(model, {}, { key })),
        await send(chatRequest(model, { temperature: 9 }, { key })),
        await send({ method: 'GET', path: '/models', key }),
      ]
      await control.keyUsage(keyId)
      await control.entries(accountId)
      await control.account(accountId)
      for (const answer of answers) {
        const heads = (answer.exchange.head?.headers ?? []).flat().join(' ')
        expect('an answer shows the key', answer.text.includes(key) || heads.includes(key), answer).is(false)
      }
      const later = control.said.filter(({ verb }) => verb !== 'createKey')
      expect('later answers of the control API', later.length).isAtLeast(3)
      expect('one of them shows the key', later.find(({ text }) => text.includes(key))?.verb).is(undefined)
    },
  }),
  must('key.usage-is-counted', {
    states: ['key-own-usage'],
    needs: ['control'],
    dependsOn: ['key.works-at-once'],
    safe: false,
    cost: { requests: 3, tokens: 200 },
    why: 'Teams divide their bill by the usage of their keys.',
    fix: 'Count every complete request, its prompt tokens and its completion tokens on its key, once.',
    async run(context) {
      const { purse, expect } = context
      const { keyId, pay } = await purse()
      const replies = [await pay({ max_tokens: 12 }), await pay({ max_tokens: 3 })]
      const sum = (field: string): number =>
        replies.reduce((total, { json }) => total + (numberAt(json, 'usage', field) ?? Number.NaN), 0)
      const usage = await usageOf(context, keyId, 2)
      expect('requests on the key', usage.requests, replies[0]).is(2)
      if (Number.isNaN(sum('prompt_tokens') + sum('completion_tokens'))) return
      expect('prompt tokens on the key', usage.promptTokens, replies[0]).is(sum('prompt_tokens'))
      expect('completion tokens on the key', usage.completionTokens, replies[0]).is(sum('completion_tokens'))
    },
  }),
  must('key.usage-counts-streams', {
    states: ['key-own-usage'],
    needs: ['control'],
    dependsOn: ['key.usage-is-counted', 'stream.answers'],
    safe: false,
    cost: { requests: 2, tokens: 120 },
    why: 'Most traffic is streamed: usage without streams is no usage.',
    fix: 'Count a stream when it ends, as a reply is counted.',
    async run(context) {
      const { purse, expect } = context
      const { keyId, pay, payStream } = await purse()
      await pay({ max_tokens: 1 })
      const before = await usageOf(context, keyId, 1)
      const stream = await payStream({ max_tokens: 12 })
      const usage = await usageOf(context, keyId, 2)
      expect('requests on the key', usage.requests, stream).is(2)
      // A model that says nothing uses no tokens to say it.
      const least = stream.content === '' ? 0 : 1
      expect('completion tokens of the stream', usage.completionTokens - before.completionTokens, stream).isAtLeast(
        least,
      )
      expect('prompt tokens of the stream', usage.promptTokens - before.promptTokens, stream).isAtLeast(1)
    },
  }),
  must('key.usage-is-its-own', {
    states: ['key-own-usage'],
    needs: ['control'],
    dependsOn: ['key.usage-is-counted'],
    safe: false,
    cost: { requests: 3, tokens: 180 },
    why: 'Usage on the wrong key sends the bill to the wrong team.',
    fix: 'Book usage on the key that was presented.',
    async run(context) {
      const { purse, expect, send, model, control } = context
      const { keyId, pay, anotherKey } = await purse()
      const other = await anotherKey()
      const answer = await pay()
      await pay({ max_tokens: 2 })
      expect('requests on the key that was used', (await usageOf(context, keyId, 2)).requests, answer).is(2)
      expect('requests on the other key', (await control.keyUsage(other.id)).requests, answer).is(0)
      const second = await send(chatRequest(model, {}, { key: other.key }))
      expect('requests on the other key, used once', (await usageOf(context, other.id, 1)).requests, second).is(1)
    },
  }),
  should('key.refusals-are-not-usage', {
    states: ['refusals-are-free'],
    needs: ['control'],
    dependsOn: ['key.usage-is-counted'],
    safe: false,
    cost: { requests: 4, tokens: 120 },
    why: 'Requests that were refused are none that somebody was served.',
    fix: 'Count a request when it is charged, not when it arrives.',
    async run(context) {
      const { purse, expect, send, model } = context
      const { key, keyId, pay } = await purse()
      const refused = await send(chatRequest(model, { temperature: 9 }, { key }))
      await send({ method: 'POST', path: '/chat/completions', body: '{"model":', key })
      if (isSuccess(refused)) throw context.notApplicable('the gateway refused none of the bad requests')
      await pay()
      expect(
        'requests on the key after two refusals and one reply',
        (await usageOf(context, keyId, 1)).requests,
        refused,
      ).is(1)
    },
  }),
  must('key.limit-is-its-own', {
    states: ['key-own-limits'],
    needs: ['control'],
    dependsOn: ['key.works-at-once'],
    safe: false,
    cost: { requests: 16, tokens: 480 },
    why: 'One test script must not stop the production of the same account.',
    fix: 'Keep a count for each key, whatever account, address or connection its requests come from.',
    async run(context) {
      const { purse, expect } = context
      const { key, anotherKey } = await purse({ requestsPerMinute: 2 })
      const other = await anotherKey()
      const statuses = await statusesInTurn(context, key, 8)
      expect('requests that a limit of 2 a minute refused, of 8', limited(statuses)).isAtLeast(1)
      expect('another key of the account is let through', await isLetThrough(context, other.key)).is(true)
    },
  }),
  should('key.limit-holds', {
    states: ['limits-are-enforced'],
    needs: ['control'],
    dependsOn: ['key.limit-is-its-own'],
    safe: false,
    cost: { requests: 14, tokens: 420 },
    why: 'A limit that a burst passes protects nothing.',
    fix: 'Take from the limit before the node is asked, in one step.',
    async run({ purse, expect, send, model }) {
      const { key } = await purse({ requestsPerMinute: 3 })
      const answers = await Promise.all(
        Array.from({ length: 14 }, () => send(chatRequest(model, { max_tokens: 1 }, { key }))),
      )
      const passed = answers.filter(isSuccess)
      expect('requests at once that a limit of 3 a minute lets through', passed.length, passed[0]).isAtLeast(1)
      // A window that is about to end lets as many through again.
      expect('requests at once that a limit of 3 a minute lets through', passed.length, passed.at(-1)).isAtMost(7)
    },
  }),
  should('key.limit-counts-streams', {
    states: ['limits-are-enforced'],
    needs: ['control'],
    dependsOn: ['key.limit-is-its-own', 'stream.answers'],
    safe: false,
    cost: { requests: 10, tokens: 300 },
    why: 'Who streams would have no limit at all.',
    fix: 'Take from one limit in both modes.',
    async run(context) {
      const { purse, expect } = context
      let passed = 0
      // Twice where it must be: a window that begins anew in the middle of one attempt does not do so in the next.
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const { key } = await purse({ requestsPerMinute: 2 })
        const streamed = await statusesInTurn(context, key, 6, true)
        expect('streams that a limit of 2 a minute refused, of 6', limited(streamed)).isAtLeast(1)
        passed = 3 - limited(await statusesInTurn(context, key, 3))
        if (passed < 2) break
      }
      expect('replies let through when streams have used up the limit, of 3', passed).isAtMost(1)
    },
  }),
  should('key.token-limit-holds', {
    states: ['limits-are-enforced'],
    needs: ['control'],
    dependsOn: ['key.works-at-once'],
    safe: false,
    cost: { requests: 10, tokens: 1200 },
    why: 'Requests differ a thousandfold in what they use; tokens are what costs.',
    fix: 'Reserve what a request may use at most, and give back what it did not use.',
    async run(context) {
      const { purse, expect, send, model } = context
      const { key } = await purse({ tokensPerMinute: 60 })
      const answers = []
      for (let turn = 0; turn < 8; turn += 1) answers.push(await send(chatRequest(model, { max_tokens: 40 }, { key })))
      const served = answers.filter(isSuccess)
      const used = served.reduce((sum, { json }) => sum + (numberAt(json, 'usage', 'total_tokens') ?? 0), 0)
      if (served.length === answers.length && used < 120)
        throw context.undecidable(`eight replies used ${used} tokens, too few to reach a limit of 60 a minute`)
      expect(
        'requests that a limit of 60 tokens a minute refused',
        answers.length - served.length,
        served.at(-1),
      ).isAtLeast(1)
    },
  }),
  should('key.limit-is-not-early', {
    states: ['limits-are-enforced'],
    needs: ['control'],
    dependsOn: ['key.works-at-once'],
    safe: false,
    cost: { requests: 6, tokens: 180 },
    why: 'Capacity that was paid for and is refused is lost.',
    fix: 'Refuse when the limit is used up and not before.',
    async run(context) {
      const { purse, expect } = context
      const { key } = await purse({ requestsPerMinute: 6000, tokensPerMinute: 6_000_000 })
      const statuses = await statusesInTurn(context, key, 6)
      // One of them may be refused for another reason than its limits.
      expect('requests refused far below the limits, of 6', limited(statuses)).isAtMost(1)
    },
  }),
  open('key.limit-answer', {
    states: ['limit-answer-open'],
    needs: ['control'],
    dependsOn: ['key.limit-is-its-own'],
    safe: false,
    cost: { requests: 8, tokens: 240 },
    why: 'Clients wait as long as `Retry-After` says, and pace themselves by what is left.',
    fix: 'Nothing to mend: the contract leaves it open. 429 with Retry-After is what most clients understand.',
    async run({ purse, send, model }) {
      const { key } = await purse({ requestsPerMinute: 2 })
      for (let turn = 0; turn < 8; turn += 1) {
        const answer = await send(chatRequest(model, { max_tokens: 1 }, { key }))
        if (isSuccess(answer)) continue
        const headers = (answer.exchange.head?.headers ?? []).filter(([name]) => /ratelimit/i.test(name))
        return { status: answer.status, retryAfter: headerOf(answer.exchange, 'retry-after') ?? null, headers }
      }
      return 'no refusal within 8 requests'
    },
  }),
  must('key.given-limit-is-its-own', {
    states: ['key-own-limits'],
    needs: ['limited-key'],
    dependsOn: ['chat.answers'],
    phase: 'last',
    safe: false,
    cost: { requests: 24, tokens: 720 },
    why: 'One test script must not stop the production of the same account.',
    fix: 'Keep a count for each key, whatever account, address or connection its requests come from.',
    async run(context) {
      const { target, expect } = context
      const statuses: (number | undefined)[] = []
      while (statuses.length < 20 && limited(statuses) === 0)
        statuses.push(...(await statusesInTurn(context, target.config.keys.limited ?? '', 2)))
      if (limited(statuses) === 0) throw context.undecidable('20 requests did not reach the limit of --limited-key')
      expect('the main key is let through', await isLetThrough(context, target.config.keys.main ?? '')).is(true)
    },
  }),
])
