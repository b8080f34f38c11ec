import { nearMisses } from '../../src/asking/keys/near-misses.ts'
import { openTestAccount } from '../../src/asking/test-account.ts'
import { clause, must, open } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { isSuccess } from '../../src/target/answer.ts'
import { chatRequest } from '../../src/target/chat.ts'
import { isServed, unserved } from '../../src/target/served.ts'

const warmRequests = 4
const askedAgain = 12

/** Uses a key on several connections, so that every cache of the gateway holds it. */
async function warm({ send, sendStream, model }: CheckContext, key: string): Promise<void> {
  await Promise.all(Array.from({ length: warmRequests }, () => send(chatRequest(model, { max_tokens: 1 }, { key }))))
  await sendStream(chatRequest(model, { max_tokens: 1, stream: true }, { key }))
}

/** Uses a key many times, in both modes and for the list, on old and new connections. */
async function expectRefused(
  { send, sendStream, model, expect }: CheckContext,
  what: string,
  key: string,
  times = askedAgain,
) {
  const close = [['Connection', 'close']] as const
  const answers = await Promise.all(
    Array.from({ length: times }, (_, turn) => {
      const own = turn % 2 === 0 ? { key } : { key, headers: close }
      return turn % 3 === 0
        ? sendStream(chatRequest(model, { max_tokens: 1, stream: true }, own))
        : send(chatRequest(model, { max_tokens: 1 }, own))
    }),
  )
  for (const answer of answers) {
    expect(`status with ${what}`, answer.status, answer).satisfies(unserved, !isServed(answer))
  }
}

export const revocation = clause('5', [
  must('key.deleted-is-refused-at-once', {
    states: ['revocation-is-immediate'],
    needs: ['control'],
    dependsOn: ['key.works-at-once', 'auth.wrong-key-refused', 'auth.near-miss-refused'],
    safe: false,
    cost: { requests: 17, tokens: 340 },
    wrong: 'A key was served right after it was deleted.',
    why: 'Owners delete a leaked key to stop its use now, not when some cache forgets it.',
    fix: 'Answer the deletion once no process accepts the key any more, and never cache that a key is valid.',
    async run(context) {
      const { control } = context
      const { key, keyId } = await openTestAccount(context)
      await warm(context, key)
      await control.deleteKey(keyId)
      await expectRefused(context, 'a key that was just deleted', key)
    },
  }),
  must('key.deleted-unused-is-refused', {
    states: ['revocation-is-immediate'],
    needs: ['control'],
    dependsOn: ['key.deleted-is-refused-at-once'],
    safe: false,
    cost: { requests: 12, tokens: 60 },
    wrong: 'A key that was deleted before its first use was served.',
    why: 'Owners delete a key before its first use when it was sent to the wrong address.',
    fix: 'Delete the record of the key, not only what is cached about keys in use.',
    async run(context) {
      const { key, keyId } = await openTestAccount(context)
      await context.control.deleteKey(keyId)
      await expectRefused(context, 'a key that was deleted before its first use', key)
    },
  }),
  must('key.many-deleted-at-once', {
    states: ['revocation-is-immediate'],
    needs: ['control'],
    dependsOn: ['key.deleted-is-refused-at-once'],
    safe: false,
    cost: { requests: 45, tokens: 600 },
    wrong: 'One of five keys that were deleted together was served.',
    why: 'Owners delete all keys at once after a leak, and each of them must be gone.',
    fix: 'Make each deletion take effect, however many run at once.',
    async run(context) {
      const { control } = context
      const { key, keyId, anotherKey } = await openTestAccount(context)
      const keys = [{ id: keyId, key }, ...(await Promise.all(Array.from({ length: 4 }, () => anotherKey())))]
      for (const one of keys) await warm(context, one.key)
      await Promise.all(keys.map(({ id }) => control.deleteKey(id)))
      for (const one of keys) await expectRefused(context, 'one of five keys that were deleted together', one.key, 4)
    },
  }),
  must('key.deletion-spares-the-others', {
    states: ['several-keys'],
    needs: ['control'],
    dependsOn: ['key.works-at-once'],
    safe: false,
    cost: { requests: 8, tokens: 240 },
    wrong: 'Beside or after another key of its account, a key was refused or lost its usage.',
    why: 'Owners rotate keys while their service runs, and a gap is an outage.',
    fix: 'Delete one key and nothing else.',
    async run(context) {
      const { control, probe, expect } = context
      const { key, keyId, anotherKey } = await openTestAccount(context)
      await warm(context, key)
      const next = await anotherKey()
      const both = await Promise.all([probe({}, { key }), probe({}, { key: next.key })])
      for (const answer of both) expect('status while both keys are live', answer.status, answer).isStatus('2xx')
      const before = await control.keyUsage(next.id)
      await control.deleteKey(keyId)
      const { requests } = await control.keyUsage(next.id)
      expect('requests counted on the remaining key after the other is deleted', requests, both[1]).isAtLeast(
        before.requests,
      )
      const answer = await probe({}, { key: next.key })
      expect('status with the new key after the old one is gone', answer.status, answer).isStatus('2xx')
    },
  }),
  must('key.deleted-stays-deleted', {
    states: ['revocation-is-immediate'],
    needs: ['control'],
    dependsOn: ['key.deleted-is-refused-at-once', 'stream.answers'],
    safe: false,
    cost: { requests: 32, tokens: 1200 },
    wrong: 'A deleted key was served again after its stream had ended.',
    why: 'Owners find a stolen key alive again when a request in flight writes its key record back.',
    fix: 'Update only the account and its usage at the end of a request, never the key record.',
    async run(context) {
      const { control, sendStream, model } = context
      const { key, keyId } = await openTestAccount(context)
      await warm(context, key)
      const body = {
        messages: [{ role: 'user', content: 'Tell a long story about rain.' }],
        max_tokens: 300,
        stream: true,
      }
      const underWay = Promise.withResolvers<void>()
      const stream = sendStream(chatRequest(model, body, { key }), { onFirstContent: underWay.resolve })
      await Promise.all([stream, Promise.race([underWay.promise, stream]).then(() => control.deleteKey(keyId))])
      await control.keyUsage(keyId).catch(() => undefined)
      await expectRefused(context, 'a deleted key whose stream has ended', key)
    },
  }),
  must('key.near-miss-of-a-fresh-key-refused', {
    states: ['every-request-has-a-key'],
    needs: ['control'],
    dependsOn: ['key.works-at-once', 'auth.wrong-key-refused', 'auth.near-miss-refused'],
    safe: false,
    cost: { requests: 11, tokens: 60 },
    wrong: 'A key that differs slightly from a new one was served.',
    why: 'Attackers can guess a key that is not compared in full.',
    fix: 'Compare the whole key, byte for byte.',
    async run(context) {
      const { probe, expect, secret } = context
      const { key } = await openTestAccount(context)
      for (const { words, value, shape } of nearMisses(key, 'NEW_KEY')) {
        const answer = await probe({}, { key: secret(value, shape) })
        expect(`status with a new key ${words}`, answer.status, answer).satisfies('no 2xx', !isSuccess(answer))
      }
    },
  }),
  open('key.deleted-in-mid-stream', {
    states: ['revocation-in-flight-open'],
    needs: ['control'],
    dependsOn: ['key.works-at-once', 'stream.answers'],
    safe: false,
    cost: { requests: 1, tokens: 400 },
    why: 'Owners want to know whether a stream goes on after its key is deleted.',
    fix: 'Nothing to mend: the contract speaks only of requests.',
    async run(context) {
      const { control, sendStream, model } = context
      const { key, keyId } = await openTestAccount(context)
      const body = {
        messages: [{ role: 'user', content: 'Tell a long story about snow.' }],
        max_tokens: 300,
        stream: true,
      }
      const underWay = Promise.withResolvers<void>()
      const stream = sendStream(chatRequest(model, body, { key }), { onFirstContent: underWay.resolve })
      const deletion = Promise.race([underWay.promise, stream]).then(async () => {
        const startMs = performance.now()
        await control.deleteKey(keyId)
        return Math.round(performance.now() - startMs)
      })
      const [{ done, exchange }, deletionTookMs] = await Promise.all([stream, deletion])
      return { deletionTookMs, streamEnded: done ? 'with [DONE]' : exchange.ending }
    },
  }),
])
