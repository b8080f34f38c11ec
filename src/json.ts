/** Careful reading of values that came over a wire: a path that is not there is undefined, never an exception. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value
  for (const step of path) {
    if (typeof here !== 'object' || here === null) return undefined
    here = (here as Record<string | number, unknown>)[step]
  }
  return here
}

/** The members of an array; none for anything else. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

export function textAt(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : undefined
}

export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  const found = at(value, ...path)
  return typeof found === 'number' ? found : undefined
}

/** What a JSON text may begin with. An exception for each event stream would cost more than reading it. */
const jsonStart = /^[\s{["\-\dtfn]/

/** No value that anybody means is as deep. Each level costs a hundred times its byte, and walking them would overflow the stack. */
const depthMax = 5000

/** The JSON value of a text; undefined when it is not JSON, or too deep to be read. */
export function parseJson(text: string): unknown {
  if (!jsonStart.test(text) || isTooDeep(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const [quote, backslash, openBracket, openBrace, closeBracket, closeBrace] = [...'"\\[{]}'].map((one) =>
  one.charCodeAt(0),
)

function isTooDeep(text: string): boolean {
  if (text.length <= depthMax) return false
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === quote) isInString = !isInString
    else if (isInString && char === backslash) at += 1
    else if (isInString) continue
    else if (char === openBracket || char === openBrace) depth += 1
    else if (char === closeBracket || char === closeBrace) depth -= 1
    if (depth > depthMax) return true
  }
  return false
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
