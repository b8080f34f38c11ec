import type { Wrap } from '../../../reference-server/gateway/seams.ts'
import { bothWraps } from '../../wraps/both.ts'
import { takingKeysFrom } from '../../wraps/key.ts'
import { askingNodes, passingOn } from '../../wraps/relay.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-relayed-keys.ts` must notice. */
export const relayedKeysFaults = {
  'relay-key-in-the-request': {
    about: "The caller's key is added as a note to the conversation that the node sees.",
    breaks: ['relay.key-stays-with-us', 'relay.messages-unchanged'],
    wrap: () =>
      askingNodes((job, { request }) => ({
        ...job,
        messages: [{ role: 'system', content: request.headers.authorization ?? '' }, ...job.messages],
      })),
  },
  'relay-passes-x-api-key-on': {
    about: 'A key is taken from X-Api-Key too, and that header reaches the node.',
    breaks: ['relay.key-in-other-headers-stays'],
    wrap: () => takingAndPassingOn('x-api-key'),
  },
  'relay-passes-api-key-on': {
    about: 'A key is taken from Api-Key too, and that header reaches the node.',
    breaks: ['relay.key-in-other-headers-stays'],
    wrap: () => takingAndPassingOn('api-key'),
  },
} as const satisfies Record<string, Fault>

function takingAndPassingOn(name: string): Wrap {
  return bothWraps(
    takingKeysFrom(({ request }) => request.headers[name]?.toString()),
    passingOn([name]),
  )
}
