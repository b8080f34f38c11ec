import type { CheckId } from '../../src/check/check-ids.ts'

/** A reply that clients cannot read has no text; the others look at every reply of the run. */
export const served = [
  'relay.reply-text-exact',
  'relay.stream-text-exact',
  'relay.every-reply-unchanged',
  'relay.exchange-details',
  'relay.usage-whatever-the-node-counts',
  'relay.finish-reason',
  'relay.empty-text',
  'relay.model-is-what-was-asked',
] as const satisfies readonly CheckId[]

export const texts = [...served, 'relay.long-lines', 'relay.long-text'] as const satisfies readonly CheckId[]
