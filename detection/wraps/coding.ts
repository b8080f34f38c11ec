import { Readable } from 'node:stream'
import { constants, createGunzip, createGzip } from 'node:zlib'
import type { Call, Wrap } from '../../reference-server/gateway/seams.ts'
import type { RawReply } from '../../reference-server/network/node.ts'
import { isRelayedCall, tapping } from './relay.ts'
import { offers } from './request.ts'

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

/** Compresses streams for clients that accept gzip, and flushes the compressor after each event or only at the end. */
export function compressingStreams(flush: 'with-each-event' | 'at-the-end'): Wrap {
  return {
    openStream: (real) => (head, call) => {
      if (!offers(call, 'gzip')) return real(head, call)
      const sink = real({ ...head, headers: { ...head.headers, 'content-encoding': 'gzip' } }, call)
      const gzip = createGzip()
      const made: Buffer[] = []
      gzip.on('data', (bytes: Buffer) => made.push(bytes))
      const pass = (): Promise<void> | undefined => sink.write(Buffer.concat(made.splice(0)))
      return {
        async write(part) {
          gzip.write(part)
          if (flush === 'with-each-event') {
            await new Promise<void>((resolve) => gzip.flush(constants.Z_SYNC_FLUSH, resolve))
            await pass()
          }
        },
        async end() {
          await new Promise<void>((resolve) => gzip.once('end', resolve).end())
          await pass()
          await sink.end()
        },
      }
    },
  }
}
