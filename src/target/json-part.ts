import { parseJson } from '../json.ts'

/** Members of a list in an object are at this depth; what is deeper belongs to one of them. */
const depthMax = 2
const closers: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

/** What came whole of a JSON value whose end was not read; undefined where the text is none. */
export function readPart(text: string): unknown {
  const open: string[] = []
  let part: { readonly at: number; readonly closing: string } | undefined
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? ''
    if (char === '"') at = endOfString(text, at)
    else if (char in closers) open.push(closers[char] ?? '')
    else if (char === '}' || char === ']') open.pop()
    else if (char === ',' && open.length <= depthMax) part = { at, closing: open.toReversed().join('') }
  }
  return part === undefined ? undefined : parseJson(text.slice(0, part.at) + part.closing)
}

/** Where the closing quote of a string is; the end of the text where it has none. */
function endOfString(text: string, from: number): number {
  let at = text.indexOf('"', from + 1)
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at === -1 ? text.length : at
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}
