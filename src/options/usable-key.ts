import { HarnessError } from '../harness-error.ts'

/** What keeps a value out of every header, in words that follow a name; undefined for a value that can be sent. */
export function whyNoHeaderCarries(value: string): string | undefined {
  if (/[\r\n]/.test(value)) return 'holds a line break'
  const [odd] = /[^\t\x20-\x7e\x80-\xff]/u.exec(value) ?? []
  if (odd === undefined) return undefined
  const code = (odd.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `holds a character that no header can carry (U+${code})`
}

/** The key, where it can be one. Throws an error that names where it came from, and never shows it. */
export function usableKey(where: string, key: string): string {
  const problem = whyNoHeaderCarries(key) ?? whyItIsMoreThanAKey(key)
  if (problem !== undefined) throw new HarnessError('key-unusable', `${where} ${problem}.`)
  return key
}

/** Sent as they are, these would be refused, and the refusal would not say why. */
function whyItIsMoreThanAKey(key: string): string | undefined {
  if (/^bearer\s/i.test(key)) return `begins with '${key.slice(0, 6)} ', which is added to every key`
  return /^(["'`]).*\1$/.test(key) ? 'is wrapped in quotes' : undefined
}
