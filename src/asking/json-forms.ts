/** JSON that says the same with ASCII alone, as `json.dumps` of Python writes it. */
export function inAscii(json: string): string {
  return json.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** JSON that says the same with white space around every sign between its tokens. */
export function widely(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|[{}[\]:,]/g, (token) =>
    token.startsWith('"') ? token : ` \t${token}\r\n `,
  )
}
