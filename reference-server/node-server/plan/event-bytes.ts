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
