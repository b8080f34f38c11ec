import { constants, crc32, deflateRawSync } from 'node:zlib'
import type { Part } from './parts.ts'
import type { ReplyPlan } from './reply-plan.ts'

/** A gzip member without a name or a time (RFC 1952, 2.3). */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
/** The last block of a deflate stream, with nothing in it (RFC 1951, 3.2.3). */
const lastBlock = Buffer.from([0x03, 0x00])

/** The same reply compressed with gzip, every part of it flushed, so that its times stay. */
export function compressed(plan: ReplyPlan): ReplyPlan {
  if (plan.head === undefined) return plan
  const { 'content-length': _, ...headers } = plan.head.headers
  return {
    ...plan,
    head: { ...plan.head, headers: { ...headers, 'content-encoding': 'gzip', vary: 'accept-encoding' } },
    parts: compressedParts(plan.parts, plan.ending === 'end'),
  }
}

/** Each part is compressed by itself, which takes a little more room than one compressor for all would. */
function* compressedParts(parts: Iterable<Part>, isWhole: boolean): Generator<Part> {
  let [checksum, length, atMs, start] = [0, 0, 0, header]
  for (const part of parts) {
    checksum = crc32(part.bytes, checksum)
    length += part.bytes.length
    atMs = part.atMs
    const deflated = deflateRawSync(part.bytes, { finishFlush: constants.Z_SYNC_FLUSH })
    yield { ...part, bytes: Buffer.concat([start, deflated]) }
    start = Buffer.alloc(0)
  }
  if (isWhole) yield { atMs, bytes: Buffer.concat([start, lastBlock, trailerOf(checksum, length)]), chunks: 0 }
}

function trailerOf(checksum: number, length: number): Buffer {
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(checksum, 0)
  trailer.writeUInt32LE(length % 2 ** 32, 4)
  return trailer
}
