import type { Wire } from '../script/script.ts'

/** One event of a stream as the script wants it to look. */
export function eventText(data: string, { lineEnd = '\n', spaceAfterColon = true }: Wire): string {
  return `data:${spaceAfterColon ? ' ' : ''}${data}${lineEnd}${lineEnd}`
}

/** A comment, followed by an empty line as in real keep-alives. */
export function commentText({ lineEnd = '\n', comments }: Wire): string {
  const text = (typeof comments === 'object' ? comments.text : undefined) ?? 'keep-alive'
  return `: ${text}${lineEnd}${lineEnd}`
}

/** A value as JSON text, which may escape all that is not ASCII. */
export function jsonText(value: unknown, { ascii = false }: Wire = {}): string {
  const json = JSON.stringify(value)
  return ascii ? json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`) : json
}
