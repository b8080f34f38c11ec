import type { Failure } from '../../src/check/verdict.ts'

/**
 * What is wrong with the sentence that a failure is told by, as far as a program can see: it is missing, no sentence, unfinished, or
 * says the opposite of the status that was found. Of one that names alternatives the status says nothing. Undefined if nothing is.
 */
export function flawIn({ wrong = '', what, actual }: Pick<Failure, 'wrong' | 'what' | 'actual'>): string | undefined {
  if (wrong === '') return 'it has no sentence'
  if (!/^\P{Ll}.*\S\.$/u.test(wrong)) return `it is no whole sentence: ${wrong}`
  if (/\$\{|\bundefined\b|\[object /.test(wrong)) return `something is missing in it: ${wrong}`
  if (wrong.includes(', or ')) return undefined
  const status = /^status\b/.test(what) ? Number(/^\d{3}$/.exec(actual)?.[0] ?? Number.NaN) : Number.NaN
  const contradicts = claims.some(({ words, isPossible }) => words.test(wrong) && !isPossible(status))
  return contradicts && !Number.isNaN(status) ? `status ${status} contradicts it: ${wrong}` : undefined
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** Words about a status, and the statuses of which they can be true. */
const claims: readonly { readonly words: RegExp; isPossible(status: number): boolean }[] = [
  { words: /\bwas served\b/, isPossible: isSuccess },
  {
    words: /\bwas (?:not (?:accepted|served)|refused)\b|\bgot no (?:whole )?reply\b/,
    isPossible: (status) => !isSuccess(status),
  },
  { words: /\bno 4xx\b|\bnot refused with a 4xx\b/, isPossible: (status) => status < 400 || status >= 500 },
]
