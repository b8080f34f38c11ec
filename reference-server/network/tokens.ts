/** The longest run of letters and digits in one token. */
const WORD_LENGTH_MAX = 5

/** The longest token: such a run, and the white space before it. */
export const TOKEN_LENGTH_MAX = WORD_LENGTH_MAX + 1

/**
 * The network's own token counter: a token is up to five letters or digits with the white space before them, or
 * any other single code point. Joined, the tokens are the text, or its beginning when it has more than `countMax`.
 */
export function tokenize(text: string, countMax = Number.POSITIVE_INFINITY): string[] {
  const tokens: string[] = []
  for (let start = 0; start < text.length && tokens.length < countMax; ) {
    const end = tokenEnd(text, start)
    tokens.push(text.slice(start, end))
    start = end
  }
  return tokens
}

/** `tokenize(text).length` without making the tokens, for prompts of any length. */
export function countTokens(text: string): number {
  let count = 0
  for (let start = 0; start < text.length; start = tokenEnd(text, start)) count += 1
  return count
}

function tokenEnd(text: string, start: number): number {
  const wordStart = isSpace(text.charCodeAt(start)) ? start + 1 : start
  let end = wordStart
  while (end < text.length && end - wordStart < WORD_LENGTH_MAX && isWord(text.charCodeAt(end))) end += 1
  if (end > wordStart) return end
  return start + (isPair(text, start) ? 2 : 1)
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x09 || unit === 0x0d
}

function isWord(unit: number): boolean {
  const letter = unit | 0x20
  return (letter >= 0x61 && letter <= 0x7a) || (unit >= 0x30 && unit <= 0x39)
}

function isPair(text: string, start: number): boolean {
  return (text.codePointAt(start) ?? 0) > 0xffff
}
