import { spentAtLast } from '../../src/asking/billing.ts'
import { openTestAccount } from '../../src/asking/test-account.ts'
import { clause, open } from '../../src/check/check.ts'
import { writeDecimal } from '../../src/contract/price.ts'
import { textAt } from '../../src/json.ts'
import { chatRequest } from '../../src/target/chat.ts'
import type { HeaderList } from '../../src/wire/transcript.ts'

export const repeats = clause('1', [
  open('billing.repeat-of-a-lost-answer', {
    states: ['repeats-open'],
    needs: ['control'],
    dependsOn: ['billing.reply-charged'],
    safe: false,
    cost: { requests: 6, tokens: 400 },
    why: 'SDKs repeat a request whose answer was lost, and the customer may pay for both.',
    fix: 'Nothing to mend: the contract does not say it. An `Idempotency-Key` lets a gateway give the same answer again for nothing.',
    async run(context) {
      const { model, nonce, send, undecidable } = context
      // To a gateway that has written all of it, an answer that was lost on the way looks like one that arrived.
      const repeated = async (headers: HeaderList) => {
        const account = await openTestAccount(context)
        const body = { messages: [{ role: 'user', content: `Say hello to ${nonce()}.` }], max_tokens: 16 }
        const request = chatRequest(model, body, { key: account.key, headers })
        const first = await send(request)
        if (first.status !== 200) throw undecidable(`the first request was answered with ${first.status}`)
        const once = await spentAtLast(context, account)
        const again = await send(request)
        const both = again.status === 200 ? await spentAtLast(context, account) : once
        return {
          status: again.status ?? again.exchange.ending,
          sameId: textAt(again.json, 'id') === textAt(first.json, 'id'),
          usdForTheFirst: writeDecimal(once),
          usdForTheRepeat: writeDecimal(both - once),
        }
      }
      return {
        plain: await repeated([]),
        withIdempotencyKey: await repeated([['Idempotency-Key', `assay-${nonce()}`]]),
      }
    },
  }),
])
