/** The same JSON in ASCII only, as Python's `json.dumps` writes it. */
export function inAscii(json: string): string {
  return json.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The same JSON with white space around each of its punctuation marks. */
export function spacedOut(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|[{}[\]:,]/g, (token) =>
    token.startsWith('"') ? token : ` \t${token}\r\n `,
  )
}
