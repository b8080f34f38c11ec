import { isLetThrough, limited, statusesInTurn } from '../../src/asking/limits.ts'
import { openTestAccount } from '../../src/asking/test-account.ts'
import { clause, should } from '../../src/check/check.ts'
import { isSuccess } from '../../src/target/answer.ts'

const asked = 8

export const changedKeys = clause('5', [
  should('key.rotated-works-beside-its-successor', {
    states: ['rotation-has-no-gap'],
    needs: ['control'],
    dependsOn: ['key.deleted-is-refused-at-once', 'key.deletion-spares-the-others'],
    sameCauseAs: ['key.namesakes-are-two'],
    safe: false,
    cost: { requests: 6, tokens: 360 },
    wrong: 'While a key was rotated, it or its successor was refused, or it was served after its deletion.',
    why: 'Owners rotate keys while their service runs: programs that still have the old key must go on until all have the new one.',
    fix: 'Create the new key and leave the old one as it is; only its deletion ends it.',
    async run(context) {
      const { control, probe, expect, secret } = context
      const { key, keyId } = await openTestAccount(context)
      const made = await control.rotateKey(keyId)
      const next = secret(made.key, '$NEW_KEY')
      expect('whether the successor has a value of its own', next === key).is(false)
      for (const one of [key, next]) {
        const answer = await probe({}, { key: one })
        expect('status with a rotated key and its successor', answer.status, answer).isStatus('2xx')
      }
      await control.deleteKey(keyId)
      const old = await probe({}, { key })
      expect('status with the rotated key after its deletion', old.status, old).satisfies('no 2xx', !isSuccess(old))
      const answer = await probe({}, { key: next })
      expect('status with the successor after that', answer.status, answer).isStatus('2xx')
    },
  }),
  should('key.successor-has-its-limits', {
    states: ['rotation-has-no-gap'],
    needs: ['control'],
    dependsOn: ['key.rotated-works-beside-its-successor', 'key.limit-is-its-own'],
    safe: false,
    cost: { requests: 8, tokens: 240 },
    wrong: 'The successor of a key that was rotated has no limit, though the key had one.',
    why: 'A limit protects the bill of its owner, and nobody looks for one that a rotation has taken away.',
    fix: 'Copy the name and every limit of the old key.',
    async run(context) {
      const { control, expect, secret } = context
      const { keyId } = await openTestAccount(context, { requestsPerMinute: 2 })
      const made = await control.rotateKey(keyId)
      const statuses = await statusesInTurn(context, secret(made.key, '$NEW_KEY'), asked)
      expect(`requests of the successor refused by a limit of 2 a minute, of ${asked}`, limited(statuses)).isAtLeast(1)
    },
  }),
  should('key.changed-limit-holds-at-once', {
    states: ['key-changes-apply'],
    needs: ['control'],
    dependsOn: ['key.limit-is-its-own'],
    sameCauseAs: ['key.limit-passes'],
    safe: false,
    cost: { requests: 26, tokens: 780 },
    wrong: 'A limit that a key was given later did not hold, or one that was taken away still did.',
    why: 'Owners limit a key because it is out of control now, and lift a limit because their service stands still now.',
    fix: 'Read the limits of a key with each request, or tell every process of a change before it is answered.',
    async run(context) {
      const { control, expect, nonce, probe } = context
      const { key, keyId } = await openTestAccount(context)
      const name = `assay ${nonce()}`
      const before = await probe({}, { key })
      expect('status before the key has a limit', before.status, before).isStatus('2xx')
      await control.changeKey(keyId, { name, requestsPerMinute: 2 })
      const statuses = await statusesInTurn(context, key, asked)
      expect(`requests refused by a new limit of 2 a minute, of ${asked}`, limited(statuses)).isAtLeast(1)
      await control.changeKey(keyId, { name })
      const isFree = await isLetThrough(context, key)
      expect('whether the key is let through when its limit has been taken away', isFree).is(true)
    },
  }),
  should('key.renamed-stays-itself', {
    states: ['key-changes-apply'],
    needs: ['control'],
    dependsOn: ['key.usage-is-counted'],
    safe: false,
    cost: { requests: 2, tokens: 120 },
    wrong: 'A key that was renamed was refused, lost its usage, or kept its old name.',
    why: 'Owners name keys after what uses them, and that changes; their programs and their bills must not notice.',
    fix: 'Change the name in the record of the key and nothing else.',
    async run(context) {
      const { control, expect, nonce, probe } = context
      const { key, keyId, accountId, pay } = await openTestAccount(context)
      await pay({ max_tokens: 3 })
      const before = await control.keyUsage(keyId)
      const name = `assay ${nonce()}, renamed`
      await control.changeKey(keyId, { name })
      const listed = await control.keys(accountId)
      expect('the name of the key in the list of keys', listed.find(({ id }) => id === keyId)?.name).is(name)
      const after = await control.keyUsage(keyId)
      expect('requests counted on the renamed key', after.requests).isAtLeast(before.requests)
      const answer = await probe({}, { key })
      expect('status with the renamed key', answer.status, answer).isStatus('2xx')
    },
  }),
])
