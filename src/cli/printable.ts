/** What colours and weight we write; a target's own would hide text, or move the cursor. */
const ours = /^\p{Cc}\[(?:0|1|2|22|3\d|39)m/u

/**
 * A text for a terminal. It may hold what a target said: characters that a terminal obeys, or that change the direction of
 * reading, are shown as JSON writes them, which leaves JSON what it is. Our colours stay where there are any.
 */
export function printable(text: string, isColored: boolean): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (char, at: number) =>
    char === '\n' || char === '\t' || (isColored && ours.test(text.slice(at, at + 8)))
      ? char
      : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
