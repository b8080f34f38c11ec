import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Call, Wrap } from '../../reference-server/gateway/seams.ts'
import type { RawReply } from '../../reference-server/network/node.ts'
import { isRelayedCall, tapping } from './relay.ts'

export function isCompressed({ headers }: RawReply): boolean {
  return headers['content-encoding'] === 'gzip'
}

/** Tells relayed nodes which content codings are read. */
export function offeringNodes(offer: (call: Call) => string): Wrap {
  return {
    writeRequest: (real) => (request, call) => {
      const { headers, body } = real(request, call)
      return { headers: isRelayedCall(call) ? { ...headers, 'accept-encoding': offer(call) } : headers, body }
    },
  }
}

/** Tells relayed nodes that gzip is read, and reads it. */
export function decodingNodes(): Wrap {
  return {
    ...offeringNodes(() => 'gzip'),
    ...tapping((reply) => (isCompressed(reply) ? { ...reply, body: decoded(reply.body) } : reply)),
  }
}

async function* decoded(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* Readable.from(body).compose(createGunzip())
}
