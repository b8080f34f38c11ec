import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRedactor, redactData } from './redact.ts'

test('no form of a secret is left in any text', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 6, unit: 'grapheme-ascii' }),
      fc.string(),
      fc.string(),
      (secret, before, after) => {
        const { text } = createRedactor([{ value: secret }])
        const forms = [
          secret,
          Buffer.from(secret).toString('base64'),
          encodeURIComponent(secret),
          JSON.stringify(secret).slice(1, -1),
        ]
        for (const form of forms) {
          // The mask itself may hold a very short piece of a secret made of its letters; the secret as a whole is gone.
          if ('[redacted]'.includes(form)) continue
          expect(text(`${before}${form}${after}`).replaceAll('[redacted]', '')).not.toContain(
            `${before}${form}${after}`,
          )
        }
      },
    ),
  )
})

test('a secret that begins like another leaves no tail', () => {
  const { text, learn } = createRedactor([{ value: 'sk-assay-abcdef' }])
  learn({ value: 'sk-assay-abcdefghij' })
  expect(text('sk-assay-abcdefghij')).toBe('[redacted]')
})

test('a text that was cut does not end in most of a secret', () => {
  const { text } = createRedactor([{ value: 'sk-assay-abcdefghijklmnop' }])
  expect(text('key sk-assay-abcdefgh')).toBe('key [redacted]')
  expect(text('keys begin with sk-assay-')).toBe('keys begin with sk-assay-')
  expect(text('sk-assay-abcdefgh is too short')).toBe('sk-assay-abcdefgh is too short')
})

test('in data, secrets are removed from every text', () => {
  const redactor = createRedactor([{ value: 'hunter2-hunter2' }])
  const data = { count: 2, none: undefined, list: ['a hunter2-hunter2', { at: new Uint8Array(1) }] }
  expect(redactData(data, redactor)).toEqual({ ...data, list: ['a [redacted]', data.list[1]] })
})

test('what is too short to be a secret stays', () => {
  expect(createRedactor([{ value: 'data' }]).text('data: x')).toBe('data: x')
})

test('a text that we sent falls into what may be seen and the shapes of secrets, the longest secret first', () => {
  const { learn, pieces, text } = createRedactor([{ value: 'sk-assay-abcdef', shape: '$KEY' }])
  learn({ value: 'sk-assay-abcdefx', shape: `\${KEY}x` })
  expect(pieces('bearer sk-assay-abcdefx, sk-assay-abcdef')).toEqual([
    { kind: 'plain', text: 'bearer ' },
    { kind: 'secret', shape: `\${KEY}x` },
    { kind: 'plain', text: ', ' },
    { kind: 'secret', shape: '$KEY' },
  ])
  expect(text('bearer sk-assay-abcdefx')).toBe('bearer [redacted]')
})

test('a short key is a secret where credentials stand', () => {
  const { pieces } = createRedactor([{ value: 'any', shape: '$KEY' }])
  expect(pieces('Bearer any')).toEqual([
    { kind: 'plain', text: 'Bearer ' },
    { kind: 'secret', shape: '$KEY' },
  ])
})
