import { createGunzip, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compressed } from './compress.ts'
import type { ReplyPlan } from './reply-plan.ts'

const planOf = (texts: readonly string[], ending: ReplyPlan['ending'] = 'end'): ReplyPlan => ({
  head: { status: 200, headers: { 'content-length': '9' } },
  parts: texts.map((text, at) => ({ atMs: at, bytes: Buffer.from(text), chunks: 1 })),
  ending,
  endAtMs: texts.length,
  apart: false,
})
const bytesOf = ({ parts }: ReplyPlan): Buffer => Buffer.concat([...parts].map(({ bytes }) => bytes))

test('a compressed reply is read by any decompressor', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
      expect(gunzipSync(bytesOf(compressed(planOf(texts)))).toString()).toBe(texts.join(''))
    }),
  )
  const { headers } = compressed(planOf(['a'])).head ?? {}
  expect(headers).toEqual({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
})

test('each part of it can be read as soon as it is there, and a reply that breaks off has no end', async () => {
  const gunzip = createGunzip()
  const parts = [...compressed(planOf(['One ', 'two '], 'reset')).parts]
  const read: string[] = []
  for (const { bytes } of parts) {
    await new Promise((written) => gunzip.write(bytes, written))
    read.push(gunzip.read()?.toString() ?? '')
  }
  expect(read).toEqual(['One ', 'two '])
  expect(() => gunzipSync(Buffer.concat(parts.map(({ bytes }) => bytes)))).toThrow('unexpected end of file')
})
