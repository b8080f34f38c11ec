import { usageOf } from '../../src/asking/billing.ts'
import { openTestAccount } from '../../src/asking/test-account.ts'
import { clause, must, should } from '../../src/check/check.ts'
import { numberAt } from '../../src/json.ts'
import { isSuccess } from '../../src/target/answer.ts'
import { chatRequest } from '../../src/target/chat.ts'

const keyShape = /^sk-[a-z0-9]+-/

export const apiKey = clause('2.6', [
  must('key.prefix', {
    states: ['key-prefix'],
    needs: ['control'],
    safe: false,
    cost: { requests: 0, tokens: 0 },
    wrong: 'New keys lack a common prefix of the form sk-name-, or are the same.',
    why: 'Users learn late of a leaked key that scanners cannot recognize by its prefix.',
    fix: 'Build keys from `sk-`, the short name of the service, a dash and a long random part.',
    async run(context) {
      const { expect } = context
      const { key, anotherKey } = await openTestAccount(context)
      const { key: other } = await anotherKey()
      const { key: limited } = await anotherKey({ requestsPerMinute: 60, tokensPerMinute: 60_000 })
      expect('the beginning of a new key', key.slice(0, 24).replace(/[^-]{4}$/, '…')).satisfies(
        `text that matches ${keyShape}`,
        keyShape.test(key),
      )
      const [, prefix] = /^(sk-[a-z0-9]+-)/.exec(key) ?? []
      expect('whether a second key has the same prefix', other.startsWith(prefix ?? 'no prefix')).is(true)
      expect('whether a key with limits has the same prefix', limited.startsWith(prefix ?? 'no prefix')).is(true)
      expect('whether two new keys are the same', key === other).is(false)
    },
  }),
  must('key.works-at-once', {
    states: ['fresh-key-works'],
    needs: ['control'],
    dependsOn: ['chat.answers'],
    safe: false,
    cost: { requests: 12, tokens: 720 },
    wrong: 'A request with a key that was just created was not served.',
    why: 'Every setup script fails when a key is refused for its first minute.',
    fix: 'Make a new key known everywhere before it is shown.',
    async run(context) {
      const { probe, expect } = context
      const { key, anotherKey } = await openTestAccount(context)
      const fresh = [key]
      for (let count = 1; count < 6; count += 1) fresh.push((await anotherKey()).key)
      // The first key comes last: another key must not replace it.
      for (const one of fresh.reverse()) {
        const answer = await probe({}, { key: one })
        expect('status with a key that is a moment old', answer.status, answer).isStatus('2xx')
      }
    },
  }),
  must('key.any-name-works', {
    states: ['fresh-key-works'],
    needs: ['control'],
    dependsOn: ['key.works-at-once'],
    safe: false,
    cost: { requests: 3, tokens: 180 },
    wrong: 'A request with a key of an unusual name was not served.',
    why: 'People name keys in their own language, and a name that breaks a header breaks every request.',
    fix: 'Keep names as text, and encode them where they go into a header or a log.',
    async run(context) {
      const { probe, expect, nonce } = context
      const { key, anotherKey } = await openTestAccount(context, { name: `Schlüssel 鍵 🔑 ${nonce()}` })
      const quoted = await anotherKey({ name: `"staging"; O'Brien <${nonce()}>` })
      for (const one of [key, quoted.key]) {
        const answer = await probe({}, { key: one })
        expect('status with a key of an unusual name', answer.status, answer).isStatus('2xx')
      }
    },
  }),
  must('key.shown-once', {
    states: ['key-shown-once'],
    needs: ['control'],
    dependsOn: ['key.works-at-once'],
    safe: false,
    cost: { requests: 3, tokens: 180 },
    wrong: 'A key was shown again after its creation.',
    why: "A user's key that can be read again can be read by somebody else.",
    fix: 'Keep a hash of the key, so that nothing can show it after its creation.',
    async run(context) {
      const { control, send, model, expect } = context
      const { key, keyId, accountId } = await openTestAccount(context)
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
        expect('whether an answer shows the key', answer.text.includes(key) || heads.includes(key), answer).is(false)
      }
      const later = control.said.filter(({ verb }) => verb !== 'createKey')
      expect('later answers of the control API', later.length).isAtLeast(3)
      expect('a later answer that shows the key', later.find(({ text }) => text.includes(key))?.verb).is(undefined)
    },
  }),
  must('key.usage-is-counted', {
    states: ['key-own-usage'],
    needs: ['control'],
    dependsOn: ['key.works-at-once'],
    safe: false,
    cost: { requests: 3, tokens: 200 },
    wrong: "A key's usage does not match the requests and tokens that it was used for.",
    why: 'Teams split their bill by the usage of their keys, and argue when it is wrong.',
    fix: 'Count every complete request with its prompt and completion tokens on its key, once.',
    async run(context) {
      const { expect, prepared, model } = context
      const { keyId, pay } = await openTestAccount(context)
      const other = prepared.roster.find(({ id }) => id !== model)?.id ?? model
      const replies = [await pay({ max_tokens: 12 }), await pay({ max_tokens: 3 }, other)]
      const sum = (field: string): number =>
        replies.reduce((total, { json }) => total + (numberAt(json, 'usage', field) ?? Number.NaN), 0)
      const usage = await usageOf(context, keyId, 2)
      expect('requests counted on the key', usage.requests, replies[0]).is(2)
      if (Number.isNaN(sum('prompt_tokens') + sum('completion_tokens'))) return
      expect('prompt tokens counted on the key', usage.promptTokens, replies[0]).is(sum('prompt_tokens'))
      expect('completion tokens counted on the key', usage.completionTokens, replies[0]).is(sum('completion_tokens'))
    },
  }),
  must('key.usage-counts-streams', {
    states: ['key-own-usage'],
    needs: ['control'],
    dependsOn: ['key.usage-is-counted', 'stream.answers'],
    safe: false,
    cost: { requests: 2, tokens: 120 },
    wrong: "A key's usage lacks a stream, or its tokens.",
    why: 'Teams see almost none of their usage when streams, most of the traffic, are not counted.',
    fix: 'Count a stream like a reply when it ends.',
    async run(context) {
      const { expect } = context
      const { keyId, pay, payStream } = await openTestAccount(context)
      await pay({ max_tokens: 1 })
      const before = await usageOf(context, keyId, 1)
      const stream = await payStream({ max_tokens: 12 })
      const usage = await usageOf(context, keyId, 2)
      expect('requests counted on the key', usage.requests, stream).is(2)
      // A model that says nothing uses no tokens to say it.
      const least = stream.content === '' ? 0 : 1
      expect(
        'completion tokens counted for the stream',
        usage.completionTokens - before.completionTokens,
        stream,
      ).isAtLeast(least)
      expect('prompt tokens counted for the stream', usage.promptTokens - before.promptTokens, stream).isAtLeast(1)
    },
  }),
  must('key.usage-is-its-own', {
    states: ['key-own-usage'],
    needs: ['control'],
    dependsOn: ['key.usage-is-counted'],
    safe: false,
    cost: { requests: 3, tokens: 180 },
    wrong: "A key's requests are missing from its usage, or stand in another key's.",
    why: 'Usage on the wrong key sends the bill to the wrong team.',
    fix: 'Book usage on the key that was presented.',
    async run(context) {
      const { expect, ask, control } = context
      const { keyId, pay, anotherKey } = await openTestAccount(context)
      const other = await anotherKey()
      const answer = await pay()
      await pay({ max_tokens: 2 })
      expect('requests counted on the key that was used', (await usageOf(context, keyId, 2)).requests, answer).is(2)
      expect('requests counted on the other key', (await control.keyUsage(other.id)).requests, answer).is(0)
      const second = await ask({}, { key: other.key })
      expect('requests counted on the other key, used once', (await usageOf(context, other.id, 1)).requests, second).is(
        1,
      )
    },
  }),
  must('key.usage-is-not-crossed', {
    states: ['key-own-usage'],
    needs: ['control'],
    dependsOn: ['key.usage-is-its-own'],
    safe: false,
    cost: { requests: 16, tokens: 960 },
    wrong: 'Two keys used at the same time do not each count their own requests.',
    why: 'Teams pay for each other when concurrent requests are all booked on the key of the latest one.',
    fix: 'Keep the key of a request in the request.',
    async run(context) {
      const { expect, send, model, undecidable } = context
      const { key, keyId, anotherKey } = await openTestAccount(context)
      const other = await anotherKey()
      // Three of one key, one of the other, and so on: all in flight at once.
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, turn) =>
          send(chatRequest(model, { max_tokens: 7 }, { key: turn % 4 === 3 ? other.key : key, burst: true })),
        ),
      )
      if (!answers.every(isSuccess)) throw undecidable('some of the concurrent requests were not served')
      const [first, second] = [await usageOf(context, keyId, 12), await usageOf(context, other.id, 4)]
      expect('requests counted on a key that made 12, beside 4 of another', first.requests, answers[0]).is(12)
      expect('requests counted on a key that made 4, beside 12 of another', second.requests, answers[3]).is(4)
    },
  }),
  must('key.namesakes-are-two', {
    states: ['several-keys', 'key-own-usage'],
    needs: ['control'],
    dependsOn: ['key.usage-is-its-own', 'key.deletion-spares-the-others'],
    safe: false,
    cost: { requests: 4, tokens: 240 },
    wrong: 'Two keys of the same name do not work or count as two.',
    why: 'Two teams give their keys the same name: one key is deleted, and both teams are locked out.',
    fix: 'Identify a key by its id, never by its name.',
    async run(context) {
      const { control, expect, probe, nonce, notApplicable } = context
      const name = `assay ${nonce()}`
      const { key, keyId, anotherKey } = await openTestAccount(context, { name })
      const namesake = await anotherKey({ name }).catch(() => undefined)
      if (namesake === undefined) throw notApplicable('the gateway does not create a second key of the same name')
      expect('whether two keys of one name are the same key', namesake.key === key || namesake.id === keyId).is(false)
      const used = await probe({ max_tokens: 2 }, { key })
      expect('status with the first of two namesakes', used.status, used).isStatus('2xx')
      expect('requests counted on the first of two namesakes', (await usageOf(context, keyId, 1)).requests, used).is(1)
      expect('requests counted on its namesake', (await control.keyUsage(namesake.id)).requests, used).is(0)
      await control.deleteKey(keyId)
      const answer = await probe({ max_tokens: 2 }, { key: namesake.key })
      expect('status with a key whose namesake was deleted', answer.status, answer).isStatus('2xx')
    },
  }),
  should('key.refusals-are-not-usage', {
    states: ['refusals-are-free'],
    needs: ['control'],
    dependsOn: ['key.usage-is-counted'],
    safe: false,
    cost: { requests: 4, tokens: 120 },
    wrong: "A key's usage counts refused requests, or not its one reply.",
    why: 'Teams are shown usage for requests that nobody served.',
    fix: 'Count a request when it is charged, not when it arrives.',
    async run(context) {
      const { expect, send, model } = context
      const { key, keyId, pay } = await openTestAccount(context)
      const refused = await send(chatRequest(model, { temperature: 9 }, { key }))
      await send({ method: 'POST', path: '/chat/completions', body: '{"model":', key })
      if (isSuccess(refused)) throw context.notApplicable('the gateway refused none of the bad requests')
      await pay()
      expect(
        'requests counted on the key after two refusals and one reply',
        (await usageOf(context, keyId, 1)).requests,
        refused,
      ).is(1)
    },
  }),
])
