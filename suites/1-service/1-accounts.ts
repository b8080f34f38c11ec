import { openTestAccount } from '../../src/asking/test-account.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import { readDecimal } from '../../src/contract/price.ts'
import { chatRequest } from '../../src/target/chat.ts'

export const accounts = clause('1', [
  must('account.free-credit', {
    states: ['free-credit'],
    needs: ['control'],
    dependsOn: ['chat.answers'],
    safe: false,
    cost: { requests: 2, tokens: 120 },
    wrong: 'A new account has no credit, or cannot spend it.',
    why: 'A user who signs up to try the service and finds an empty account goes elsewhere.',
    fix: 'Book a small credit when an account is opened, before its first key can be used.',
    async run({ control, expect, nonce, secret, model, settled }) {
      const id = await control.openAccount(`assay ${nonce()}`)
      const { balanceUsd } = await control.account(id)
      expect('balance of a new account in USD', balanceUsd).satisfies(
        'more than 0',
        (readDecimal(balanceUsd) ?? 0n) > 0n,
      )
      const key = secret((await control.createKey(id, { name: 'assay' })).key, '$NEW_KEY')
      const answer = await settled(chatRequest(model, {}, { key }))
      expect('status of a request paid by the free credit', answer.status, answer).isStatus('2xx')
    },
  }),
  should('account.exhausted-is-refused', {
    states: ['funds-are-needed'],
    needs: ['control'],
    dependsOn: ['chat.answers', 'key.works-at-once'],
    safe: false,
    cost: { requests: 12, tokens: 2000 },
    wrong: 'A request of an account with next to nothing left was not refused with a 4xx.',
    why: 'A balance without a floor becomes a debt that nobody pays.',
    fix: 'Check and set aside the highest possible cost in one step, before the node is asked.',
    async run(context) {
      const { expect, probe, probeStream, prepared, model, undecidable } = context
      const listed = prepared.roster.find(({ id }) => id === model)
      if ((listed?.promptPrice ?? 0) === 0) throw undecidable('the list names no price above zero')
      const poor = await openTestAccount(context, {}, '0.000000000001')
      for (const max_tokens of [64, 1]) {
        const [answer, streamed] = await Promise.all([
          probe({ max_tokens }, { key: poor.key }),
          probeStream({ max_tokens }, { key: poor.key }),
        ])
        expect('status when next to nothing is left', answer.status, answer).isStatus('4xx')
        expect('status of a stream when next to nothing is left', streamed.status, streamed).isStatus('4xx')
      }
    },
  }),
  should('account.credit-works-at-once', {
    states: ['funding-is-immediate'],
    needs: ['control'],
    dependsOn: ['account.exhausted-is-refused'],
    safe: false,
    cost: { requests: 4, tokens: 240 },
    wrong: 'A request right after new credit was not served, or one before it got no 4xx.',
    why: 'A customer who has just paid and is still refused pays again, or asks for the money back.',
    fix: 'Let the next request see the new balance; keep no memory of an earlier refusal.',
    async run(context) {
      const { expect, probe } = context
      const poor = await openTestAccount(context, {}, '0.000000000001')
      const refused = await probe({ max_tokens: 64 }, { key: poor.key })
      expect('status before the credit', refused.status, refused).isStatus('4xx')
      await poor.credit('1')
      const answer = await probe({ max_tokens: 8 }, { key: poor.key })
      expect('status after the credit', answer.status, answer).isStatus('2xx')
    },
  }),
  open('account.opening', {
    states: ['account-record-open'],
    needs: ['control'],
    safe: false,
    cost: { requests: 0, tokens: 0 },
    why: 'How much a new account may spend decides what can be tried without paying.',
    fix: 'Nothing to mend: the contract names no amount.',
    async run({ control, nonce }) {
      const { balanceUsd, heldUsd } = await control.account(await control.openAccount(`assay ${nonce()}`))
      return { balanceUsd, heldUsd }
    },
  }),
])
