import { clause, must } from '../../src/check/check.ts'
import { usageSchema } from '../../src/contract/chat-completion.ts'
import { mismatches } from '../../src/contract/schema.ts'
import { at } from '../../src/json.ts'

/** The usage of a reply that may be as long as the window. */
export const usageWithoutLimit = clause('2.3', [
  must('usage.present-without-limit', {
    states: ['usage-counts'],
    dependsOn: ['usage.present'],
    phase: 'heavy',
    cost: { requests: 1, tokens: 540 },
    why: 'Clients that set no limit cannot compute their cost either.',
    fix: 'Return `usage` whether or not the request has `max_tokens`.',
    async run({ ask, expect }) {
      const reply = await ask({ max_tokens: undefined })
      expect('schema violations of usage', mismatches(usageSchema, at(reply.json, 'usage')), reply).is([])
    },
  }),
])
