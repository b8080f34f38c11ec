import { brotliDecompressSync, constants, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { type Arrival, bodyBytes, type Exchange, headerOf } from './transcript.ts'

const { Z_FINISH, Z_SYNC_FLUSH, BROTLI_OPERATION_FINISH, BROTLI_OPERATION_FLUSH, ZSTD_e_end, ZSTD_e_flush } = constants

/** Each decodes a whole body, or as much of its beginning as can be read. */
const decoders: Readonly<Record<string, (bytes: Buffer, isWhole: boolean) => Buffer>> = {
  gzip: (bytes, isWhole) => gunzipSync(bytes, { finishFlush: isWhole ? Z_FINISH : Z_SYNC_FLUSH }),
  br: (bytes, isWhole) =>
    brotliDecompressSync(bytes, { finishFlush: isWhole ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_FLUSH }),
  deflate: (bytes, isWhole) => inflateSync(bytes, { finishFlush: isWhole ? Z_FINISH : Z_SYNC_FLUSH }),
  zstd: (bytes, isWhole) => zstdDecompressSync(bytes, { finishFlush: isWhole ? ZSTD_e_end : ZSTD_e_flush }),
  identity: (bytes) => bytes,
}

/** How an answer says that its body is coded, in lower case. */
export function codingOf(exchange: Pick<Exchange, 'head'>): string {
  return headerOf(exchange, 'content-encoding')?.trim().toLowerCase() ?? 'identity'
}

/** The body as it was before it was coded; undefined where its bytes are not of the coding that the answer names. */
export function decodedBody(exchange: Pick<Exchange, 'head' | 'arrivals'>): Buffer | undefined {
  return decoded(exchange, true)
}

/** The body as it was before it was coded, each part of it when a client that decodes what it reads can have it. */
export function decodedArrivals(exchange: Pick<Exchange, 'head' | 'arrivals'>): readonly Arrival[] {
  let length = 0
  return exchange.arrivals.flatMap(({ atMs }, last) => {
    const soFar = decoded({ ...exchange, arrivals: exchange.arrivals.slice(0, last + 1) }, false) ?? Buffer.alloc(0)
    const bytes = soFar.subarray(length)
    length += bytes.length
    return bytes.length === 0 ? [] : [{ bytes, atMs }]
  })
}

function decoded(exchange: Pick<Exchange, 'head' | 'arrivals'>, isWhole: boolean): Buffer | undefined {
  try {
    return decoders[codingOf(exchange)]?.(bodyBytes(exchange), isWhole)
  } catch {
    return undefined
  }
}
