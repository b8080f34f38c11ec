import { setTimeout as sleep } from 'node:timers/promises'
import { constants, createBrotliCompress, createDeflate, createGzip, createZstdCompress, type Gzip } from 'node:zlib'
import { expect, test } from 'vitest'
import { decodedArrivals, decodedBody } from './content-coding.ts'
import type { Arrival } from './transcript.ts'

const codings = [
  ['gzip', createGzip, constants.Z_SYNC_FLUSH],
  ['deflate', createDeflate, constants.Z_SYNC_FLUSH],
  ['br', createBrotliCompress, constants.BROTLI_OPERATION_FLUSH],
  ['zstd', createZstdCompress, constants.ZSTD_e_flush],
] as const

async function compressed(compressor: Gzip, flush?: number): Promise<Arrival[]> {
  const arrivals: Arrival[] = []
  let atMs = 0
  compressor.on('data', (bytes: Buffer) => arrivals.push({ bytes, atMs }))
  for (const word of ['One ', 'two ', 'three.']) {
    atMs += 10
    compressor.write(word)
    if (flush !== undefined) await new Promise<void>((resolve) => compressor.flush(flush, resolve))
    await sleep(1)
  }
  atMs += 10
  await new Promise<void>((resolve) => compressor.once('end', resolve).end())
  return arrivals
}

test.each(codings)('%s: each part of a body is there once its flush has come', async (coding, create, flush) => {
  const exchange = {
    head: { status: 200, headers: [['Content-Encoding', coding]] as const, atMs: 0 },
    arrivals: await compressed(create() as Gzip, flush),
  }
  expect(decodedBody(exchange)?.toString()).toBe('One two three.')
  const parts = decodedArrivals(exchange)
  expect(parts.map(({ bytes, atMs }) => `${Buffer.from(bytes)}${atMs}`)).toEqual(['One 10', 'two 20', 'three.30'])
})

test.each(codings)('%s: without a flush all of it is there at the end', async (coding, create) => {
  const arrivals = await compressed(create() as Gzip)
  const exchange = { head: { status: 200, headers: [['Content-Encoding', coding]] as const, atMs: 0 }, arrivals }
  const parts = decodedArrivals(exchange)
  expect(Buffer.concat(parts.map(({ bytes }) => bytes)).toString()).toBe('One two three.')
  expect(parts[0]?.atMs).toBe(40)
})
