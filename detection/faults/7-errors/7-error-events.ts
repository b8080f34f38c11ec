import type { Wrap } from '../../../reference-server/gateway/seams.ts'
import { respelling, withoutEvents } from '../../wraps/node-body.ts'
import { mangling, tapping } from '../../wraps/relay.ts'
import type { Fault } from '../fault.ts'

const breaks = ['relay.any-error-event-shows'] as const

/** Gateways that the checks of `suites/7-errors/7-error-events.ts` must notice. */
export const errorEventsFaults = {
  'relay-error-text-skipped': {
    about: 'An error event of a node whose error is a string is skipped.',
    breaks,
    wrap: () => skipping(/^data: \{"error":"/),
  },
  'relay-error-object-skipped': {
    about: "A node's event without choices is skipped, though its object is an error.",
    breaks,
    wrap: () => skipping(/^data: \{"object":"error"/),
  },
  'relay-error-detail-skipped': {
    about: "A node's event that holds only a detail is skipped.",
    breaks,
    wrap: () => skipping(/^data: \{"detail"/),
  },
  'relay-event-names-skipped': {
    about: 'Events of a node that have a name are skipped, the one named error too.',
    breaks,
    wrap: () => skipping(/^event:/),
  },
  'relay-error-beside-choices-ignored': {
    about: "The error in a node's chunk that has choices too is ignored.",
    breaks,
    wrap: () => mangling(respelling(/"finish_reason":"error"\}\],"error":\{[^}]*\}/g, '"finish_reason":"stop"}]')),
  },
  'relay-finish-reason-error-is-stop': {
    about: "A node's finish reason of error is passed on as stop.",
    breaks,
    wrap: () => mangling(respelling(/"finish_reason":"error"(?!\}\],"error")/g, '"finish_reason":"stop"')),
  },
} as const satisfies Record<string, Fault>

/** Does not read some events of nodes. */
function skipping(event: RegExp): Wrap {
  return tapping((reply) => ({ ...reply, body: withoutEvents(reply.body, event) }))
}
