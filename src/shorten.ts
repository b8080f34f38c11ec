/** A text of at most so many characters: of a longer one its beginning, with an ellipsis after it. */
export function shorten(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text
}
