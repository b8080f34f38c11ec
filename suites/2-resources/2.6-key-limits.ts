import { isLetThrough, limited, statusesInTurn } from '../../src/asking/limits.ts'
import { openTestAccount } from '../../src/asking/test-account.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { numberAt } from '../../src/json.ts'
import { inTurn, inTurnUntil, untilRight } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
import { isSuccess } from '../../src/target/answer.ts'
import { chatRequest } from '../../src/target/chat.ts'
import { headerOf } from '../../src/wire/transcript.ts'

/** How many of six requests a key is refused, in the best of several attempts. */
async function refusedOfSix(context: CheckContext, newKey: () => Promise<{ readonly key: string }>): Promise<number> {
  return untilRight(
    rules.keyRefused,
    async () => limited(await statusesInTurn(context, (await newKey()).key, 6)),
    (refused) => refused <= 1,
  )
}

export const keyLimits = clause('2.6', [
  must('key.limit-is-its-own', {
    states: ['key-own-limits'],
    needs: ['control'],
    dependsOn: ['key.works-at-once'],
    safe: false,
    cost: { requests: 22, tokens: 660 },
    wrong: "A key's limit did not take effect, or held for another key of the account.",
    why: "A team's test script must not stop its production.",
    fix: 'Keep a count for each key, whatever account, address or connection its requests come from.',
    async run(context) {
      const { expect } = context
      const { key, anotherKey } = await openTestAccount(context, { requestsPerMinute: 2 })
      const other = await anotherKey()
      const statuses = await statusesInTurn(context, key, 8)
      expect('requests refused by a limit of 2 a minute, of 8', limited(statuses)).isAtLeast(1)
      expect('whether another key of the account is let through', await isLetThrough(context, other.key)).is(true)
      // One may be refused for some other reason.
      expect('refused requests of a key without a limit, of 6', await refusedOfSix(context, anotherKey)).isAtMost(1)
    },
  }),
  must('key.limits-are-apart', {
    states: ['key-own-limits'],
    needs: ['control'],
    dependsOn: ['key.limit-is-its-own'],
    safe: false,
    cost: { requests: 12, tokens: 360 },
    wrong: "A key was refused because another limited key of its account had used up that key's limit.",
    why: "A team's test script must not stop its production, which has a limit too.",
    fix: 'Keep a count for each key, and not one for each account that its limited keys share.',
    async run(context) {
      const { expect } = context
      const terms = { requestsPerMinute: 2 }
      const { key, anotherKey } = await openTestAccount(context, terms)
      const other = await anotherKey(terms)
      const statuses = await statusesInTurn(context, key, 8)
      expect('requests refused by a limit of 2 a minute, of 8', limited(statuses)).isAtLeast(1)
      const passes = await isLetThrough(context, other.key)
      expect('whether another key of the account, with a limit of its own, is let through', passes).is(true)
    },
  }),
  must('key.limit-is-not-its-name', {
    states: ['key-own-limits'],
    needs: ['control'],
    dependsOn: ['key.limit-is-its-own'],
    safe: false,
    cost: { requests: 12, tokens: 360 },
    wrong: "A key's limit did not take effect, or held for a key of the same name elsewhere.",
    why: 'Half of all keys are called "test", and a customer who uses one up must not stop the others.',
    fix: 'Count by the id of the key.',
    async run(context) {
      const { expect, nonce } = context
      const terms = { name: `assay ${nonce()}`, requestsPerMinute: 2 }
      const [one, namesake] = [await openTestAccount(context, terms), await openTestAccount(context, terms)]
      const statuses = await statusesInTurn(context, one.key, 8)
      expect('requests refused by a limit of 2 a minute, of 8', limited(statuses)).isAtLeast(1)
      const passes = await isLetThrough(context, namesake.key)
      expect('whether a key of the same name in another account is let through', passes).is(true)
    },
  }),
  should('key.failures-refill-no-limit', {
    states: ['limits-are-enforced'],
    needs: ['control', 'unavailable-model'],
    dependsOn: ['key.limit-holds', 'unavailable.answers-503'],
    safe: false,
    cost: { requests: 16, tokens: 480 },
    wrong: 'A limit of 2 a minute let 6 or more replies through, each after a 503.',
    why: 'Callers can evade a limit by asking for a model that is down when a failure gives back more than it took.',
    fix: 'Give back only what the request itself took, once.',
    async run(context) {
      const { expect, send, model, target } = context
      const { key } = await openTestAccount(context, { requestsPerMinute: 2 })
      const served = []
      for (let turn = 0; turn < 8; turn += 1) {
        await send(chatRequest(target.config.unavailableModel ?? '', { max_tokens: 1 }, { key, burst: true }))
        const answer = await send(chatRequest(model, { max_tokens: 1 }, { key, burst: true }))
        if (isSuccess(answer)) served.push(answer)
      }
      // A window that is about to end lets the same number through again.
      expect('replies within a limit of 2 a minute, each after a 503, of 8', served.length, served.at(-1)).isAtMost(5)
    },
  }),
  should('key.limit-holds', {
    states: ['limits-are-enforced'],
    needs: ['control'],
    dependsOn: ['key.limit-is-its-own'],
    safe: false,
    cost: { requests: 14, tokens: 420 },
    wrong: 'A limit of 1 a minute let none, or more than 3, of 14 concurrent requests through.',
    why: 'A limit that a burst gets past does not protect the service.',
    fix: 'Check the limit and take from it in one step, before the node is asked.',
    async run(context) {
      const { expect, send, model, undecidable } = context
      const { key } = await openTestAccount(context, { requestsPerMinute: 1 })
      const answers = await Promise.all(
        Array.from({ length: 14 }, () => send(chatRequest(model, { max_tokens: 1 }, { key }))),
      )
      const passed = answers.filter(isSuccess)
      const other = answers.find((answer) => !isSuccess(answer) && answer.status !== 429)
      if (passed.length === 0 && other !== undefined)
        throw undecidable(`of requests at once, some were answered with ${other.status ?? 'nothing'}`)
      expect('concurrent requests let through by a limit of 1 a minute', passed.length, passed[0]).isAtLeast(1)
      // A window that is about to end lets the same number through again.
      expect('concurrent requests let through by a limit of 1 a minute', passed.length, passed.at(-1)).isAtMost(3)
    },
  }),
  should('key.limit-counts-streams', {
    states: ['limits-are-enforced'],
    needs: ['control'],
    dependsOn: ['key.limit-is-its-own', 'stream.answers'],
    safe: false,
    cost: { requests: 10, tokens: 300 },
    wrong: "A key's limit did not stop streams, or replies after streams had used it up.",
    why: 'Callers who stream would have no limit at all.',
    fix: 'Count both modes against one limit.',
    async run(context) {
      const { expect } = context
      const passedAfterStreams = async (): Promise<number> => {
        const { key } = await openTestAccount(context, { requestsPerMinute: 2 })
        const streamed = await statusesInTurn(context, key, 6, true)
        expect('streams refused by a limit of 2 a minute, of 6', limited(streamed)).isAtLeast(1)
        return 3 - limited(await statusesInTurn(context, key, 3))
      }
      const passed = await untilRight(rules.limitWindow, passedAfterStreams, (count) => count < 2)
      expect('replies let through after streams used up the limit, of 3', passed).isAtMost(1)
    },
  }),
  should('key.token-limit-holds', {
    states: ['limits-are-enforced'],
    needs: ['control'],
    dependsOn: ['key.works-at-once'],
    safe: false,
    cost: { requests: 10, tokens: 1200 },
    wrong: 'No request was refused by a limit of 60 tokens a minute.',
    why: 'The service pays for tokens, and requests differ a thousandfold in how many they use.',
    fix: 'Reserve the most that a request may use, and give back what it did not use.',
    async run(context) {
      const { expect, send, model } = context
      const { key } = await openTestAccount(context, { tokensPerMinute: 60 })
      const answers = await inTurn(8, () => send(chatRequest(model, { max_tokens: 40 }, { key })))
      const served = answers.filter(isSuccess)
      const used = served.reduce((sum, { json }) => sum + (numberAt(json, 'usage', 'total_tokens') ?? 0), 0)
      if (served.length === answers.length && used < 120)
        throw context.undecidable(`eight replies used ${used} tokens, too few to reach a limit of 60 a minute`)
      expect(
        'requests refused by a limit of 60 tokens a minute',
        answers.length - served.length,
        served.at(-1),
      ).isAtLeast(1)
    },
  }),
  should('key.limit-is-not-early', {
    states: ['limits-are-enforced'],
    needs: ['control'],
    dependsOn: ['key.works-at-once', 'max-tokens.accepted'],
    safe: false,
    cost: { requests: 22, tokens: 660 },
    wrong: "Requests were refused well below a key's limits.",
    why: 'A client loses capacity that it paid for when it is refused too early.',
    fix: 'Refuse when the limit is used up, and not before.',
    async run(context) {
      const { expect } = context
      // Limits beyond 15 and 16 bits, and the largest there are; a limit of one must let one through.
      for (const [requestsPerMinute, tokensPerMinute] of [
        [6000, 6_000_000],
        [40_000, 70_000],
        [70_000, 1_000_000_000],
      ] as const) {
        const what = `requests refused far below ${requestsPerMinute} requests and ${tokensPerMinute} tokens a minute, of 6`
        const refused = await refusedOfSix(context, () =>
          openTestAccount(context, { requestsPerMinute, tokensPerMinute }),
        )
        // One may be refused for a reason other than its limits.
        expect(what, refused).isAtMost(1)
      }
      const one = await openTestAccount(context, { requestsPerMinute: 1 })
      expect('whether a request within a limit of 1 a minute is let through', await isLetThrough(context, one.key)).is(
        true,
      )
    },
  }),
  open('key.limit-answer', {
    states: ['limit-answer-open'],
    needs: ['control'],
    dependsOn: ['key.limit-is-its-own'],
    safe: false,
    cost: { requests: 8, tokens: 240 },
    why: 'Clients wait as long as `Retry-After` says, and pace themselves by what remains.',
    fix: 'Nothing to mend: the contract leaves it open. 429 with Retry-After is what most clients understand.',
    async run(context) {
      const { send, model } = context
      const { key } = await openTestAccount(context, { requestsPerMinute: 2 })
      const request = chatRequest(model, { max_tokens: 1 }, { key })
      const answers = await inTurnUntil(
        8,
        () => send(request),
        (answer) => !isSuccess(answer),
      )
      const refused = answers.find((answer) => !isSuccess(answer))
      if (refused === undefined) return 'no refusal within 8 requests'
      const headers = (refused.exchange.head?.headers ?? []).filter(([name]) => /ratelimit/i.test(name))
      return { status: refused.status, retryAfter: headerOf(refused.exchange, 'retry-after') ?? null, headers }
    },
  }),
  must('key.given-limit-is-its-own', {
    states: ['key-own-limits'],
    needs: ['limited-key'],
    dependsOn: ['chat.answers'],
    phase: 'last',
    safe: false,
    cost: { requests: 24, tokens: 720 },
    wrong: 'The main key was refused after another key had reached its limit.',
    why: "A team's test script must not stop its production.",
    fix: 'Keep a count for each key, whatever account, address or connection its requests come from.',
    async run(context) {
      const { target, expect } = context
      const pairs = await inTurnUntil(
        10,
        () => statusesInTurn(context, target.config.keys.limited ?? '', 2),
        (pair) => limited(pair) > 0,
      )
      if (limited(pairs.flat()) === 0) throw context.undecidable('20 requests did not reach the limit of --limited-key')
      expect('whether the main key is let through', await isLetThrough(context, target.config.keys.main ?? '')).is(true)
    },
  }),
])
