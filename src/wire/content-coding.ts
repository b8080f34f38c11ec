import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { bodyBytes, type Exchange, headerOf } from './transcript.ts'

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
  zstd: zstdDecompressSync,
  identity: (bytes) => bytes,
}

/** How an answer says that its body is coded, in lower case. */
export function codingOf(exchange: Pick<Exchange, 'head'>): string {
  return headerOf(exchange, 'content-encoding')?.trim().toLowerCase() ?? 'identity'
}

/** The body as it was before it was coded; undefined where its bytes are not of the coding that the answer names. */
export function decodedBody(exchange: Pick<Exchange, 'head' | 'arrivals'>): Buffer | undefined {
  try {
    return decoders[codingOf(exchange)]?.(bodyBytes(exchange))
  } catch {
    return undefined
  }
}
