import { NodeFailure } from '../../../reference-server/network/node-failure.ts'
import { decode, encode } from '../../wraps/node-body.ts'
import { changingFragments, mangling } from '../../wraps/relay.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-relayed-wire.ts` must notice. */
export const relayedWireFaults = {
  'relay-decodes-piece-by-piece': {
    about: 'Bytes from a node are decoded as they come, so a character split in two is lost.',
    breaks: ['relay.any-form-of-stream'],
    wrap: () => mangling((bytes) => encode(decode(bytes))),
  },
  'relay-ignores-carriage-returns': {
    about: "Carriage returns in a node's stream are not read as line ends.",
    breaks: ['relay.bare-carriage-returns'],
    wrap: () => mangling(editingAscii((text) => text.replaceAll('\r', ''))),
  },
  'relay-knows-line-feeds-only': {
    about: "A carriage return and a line feed do not end a line of a node's stream.",
    breaks: ['relay.any-form-of-stream'],
    wrap: () => mangling(editingAscii((text) => text.replaceAll('\r\n', ' '))),
  },
  'relay-cuts-long-lines': {
    about: "What is beyond 64 KiB in a line of a node's stream is lost.",
    breaks: ['relay.long-lines'],
    wrap: () => changingFragments((text) => text.slice(0, 65_536)),
  },
  'relay-knows-no-comments': {
    about: "A comment in a node's stream is taken for a failure.",
    breaks: ['relay.any-form-of-stream'],
    wrap: () =>
      mangling((bytes) => {
        if (/[\r\n]:/.test(decode(bytes))) throw new NodeFailure('broken', 'what is this line?')
        return bytes
      }),
  },
  'relay-wants-a-space': {
    about: "Lines of a node's stream without a space after the colon are not read.",
    breaks: ['relay.any-form-of-stream'],
    wrap: () => mangling(editingAscii((text) => text.replaceAll('data:{', 'dat_:{'))),
  },
} as const satisfies Record<string, Fault>

/** Edits the ASCII in a piece of a stream; letters of several bytes, perhaps cut in two, come through unchanged. */
function editingAscii(edit: (text: string) => string): (bytes: Uint8Array) => Uint8Array {
  return (bytes) => Buffer.from(edit(Buffer.from(bytes).toString('latin1')), 'latin1')
}
