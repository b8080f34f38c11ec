import type { Draw } from '../draw.ts'

/** No page may hold this as it is. */
export const markup = '<assay-tag'

const texts: readonly string[] = [
  '',
  ' ',
  '0',
  '-1',
  '1e400',
  'NaN',
  '9007199254740993',
  '99999999999999999999999999',
  '__proto__',
  'constructor',
  'toString',
  'null',
  '\0',
  'a\0b',
  '\ud800',
  '\u202e\u2066\ufeff',
  '\r\nSet-Cookie: a=b',
  "' OR '1'='1' --",
  "'; DROP TABLE accounts; --",
  '%27%20OR%201=1',
  '{{7*7}}',
  `"'>${markup} onerror=alert(1)>`,
  `</script>${markup}>`,
  '../../../../etc/passwd',
  'javascript:alert(1)',
  '=cmd|calc!A0',
  'small',
  'a@b',
  'é'.repeat(300),
  'x'.repeat(5000),
]

/** A text that somebody might try. */
export function oddText(draw: Draw): string {
  return draw.pick(texts)
}

/** JSON for any value, right or wrong. */
export function oddJson(draw: Draw): string {
  return draw.pick<() => string>([
    () => JSON.stringify(oddText(draw)),
    () =>
      draw.pick(['null', 'true', 'false', '[]', '{}', '0', '-0', '-1', '0.5', '1e400', '1e-400', '4294967296', '1E5']),
    () => `[${Array.from({ length: draw.between(1, 5) }, () => oddJson(draw)).join(',')}]`,
    () => `{${JSON.stringify(oddText(draw))}:${oddJson(draw)}}`,
    () => `{"__proto__":{"stream":true,"model":"small"},"constructor":{"prototype":${oddJson(draw)}}}`,
    () => nested(draw.pick([10, 1000, 20_000])),
    () => `[${'0,'.repeat(draw.pick([10, 5000]))}0]`,
  ])()
}

function nested(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`
}

/** The bytes with a few of them changed, left out, doubled or cut off. */
export function mangled(draw: Draw, bytes: Buffer): Buffer {
  let mangledSoFar = bytes
  for (let left = draw.between(1, 4); left > 0; left -= 1) {
    const at = draw.between(0, mangledSoFar.length)
    const [before, after] = [mangledSoFar.subarray(0, at), mangledSoFar.subarray(at)]
    mangledSoFar = draw.pick<() => Buffer>([
      () => Buffer.concat([before, Buffer.from([draw.between(0, 255)]), after.subarray(1)]),
      () => Buffer.concat([before, Buffer.from(Array.from({ length: 5 }, () => draw.between(0, 255))), after]),
      () => Buffer.concat([before, after.subarray(draw.between(1, 20))]),
      () => Buffer.concat([before, before.subarray(-draw.between(1, 50)), after]),
      () => before,
    ])()
  }
  return mangledSoFar
}
