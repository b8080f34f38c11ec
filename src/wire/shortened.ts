import { keepArrivals } from './kept-arrivals.ts'
import { type Arrival, bodyLength, type Exchange } from './transcript.ts'

const pieceBytes = 4096
const firstShare = 0.75

/** An exchange whose body takes no more than these bytes: of a longer one, copies of its two ends. */
export function shortened(exchange: Exchange, bytesMax: number): Exchange {
  const length = bodyLength(exchange)
  if (length <= bytesMax) return exchange
  const kept = keepArrivals({ first: bytesMax * firstShare, last: bytesMax * (1 - firstShare) })
  for (const arrival of exchange.arrivals) for (const piece of piecesOf(arrival)) kept.add(piece)
  const { arrivals, omitted } = kept.all()
  if (omitted === undefined) return exchange
  // What was left out before cannot be hashed any more, so that hash stays.
  const { sha256 } = exchange.omitted ?? omitted
  const bytes = length - arrivals.reduce((sum, arrival) => sum + arrival.bytes.length, 0)
  return { ...exchange, arrivals, omitted: { after: omitted.after, bytes, sha256 } }
}

function piecesOf({ bytes, atMs }: Arrival): readonly Arrival[] {
  return Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) => ({
    bytes: Uint8Array.from(bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes)),
    atMs,
  }))
}
