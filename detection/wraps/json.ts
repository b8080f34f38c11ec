/** A JSON object as a fault changes it. */
export type Json = Readonly<Record<string, unknown>>

export function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

/** The choices of a reply or a chunk with the first one changed. */
export function firstChoice(holder: Json, change: (choice: Json) => unknown): unknown {
  const [choice] = Array.isArray(holder['choices']) ? holder['choices'] : []
  return [change(asJson(choice))]
}

/** Changes the string literals of a JSON text, and what is between them. */
export function jsonLiterals(json: string, change: { string?(text: string): string; other?(text: string): string }) {
  return json.replace(/"(?:[^"\\]|\\.)*"|[^"]+/g, (part) =>
    part.startsWith('"') ? (change.string?.(part) ?? part) : (change.other?.(part) ?? part),
  )
}
