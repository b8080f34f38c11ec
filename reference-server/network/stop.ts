/** What a push let through. Once `stopped`, nothing more follows. */
interface StopResult {
  readonly text: string
  readonly stopped: boolean
}

/**
 * Fragments in, fragments out, up to the earliest occurrence of any stop sequence, which is not let through.
 * However the text is cut into fragments, the whole output is the same.
 */
export interface StopMatcher {
  push(fragment: string): StopResult
  /** No more fragments come: lets through what was held back. Call once, last. */
  end(): StopResult
}

/** One sequence, and how far the text's end matches its beginning (Knuth–Morris–Pratt). */
interface Candidate {
  readonly characters: readonly string[]
  /** `borders[i]`: longest proper prefix of the first `i + 1` characters that is also their end. Grows on demand. */
  readonly borders: number[]
  agreed: number
}

/**
 * It works on code points: a pair of surrogates is one character, and one half of it never matches inside it.
 * Time is linear in the text, whatever the sequences are.
 */
export function stopMatcher(sequences: readonly string[]): StopMatcher {
  if (sequences.length === 0) return { push: (text) => ({ text, stopped: false }), end: () => nothing }
  const candidates = sequences.map((sequence): Candidate => ({ characters: [...sequence], borders: [0], agreed: 0 }))
  const held: string[] = []
  /** How many of these have been let through. */
  let gone = 0
  /** Characters seen, and where the earliest complete match starts. */
  let seen = 0
  let matchAt = Number.POSITIVE_INFINITY
  let half = ''

  const letThrough = (until: number): string => {
    const end = until - (seen - held.length)
    if (end <= gone) return ''
    const text = held.slice(gone, end).join('')
    gone = end
    // Moving what is left costs no more than what was let through.
    if (gone * 2 >= held.length) {
      held.splice(0, gone)
      gone = 0
    }
    return text
  }

  /** True when a match is complete and no sequence can still match from an earlier place. */
  const take = (character: string): boolean => {
    held.push(character)
    seen += 1
    for (const candidate of candidates) {
      advance(candidate, character)
      if (candidate.agreed !== candidate.characters.length) continue
      matchAt = Math.min(matchAt, seen - candidate.agreed)
      candidate.agreed = border(candidate, candidate.agreed)
    }
    return matchAt <= earliestStart(candidates, seen)
  }

  return {
    push(fragment) {
      const text = half + fragment
      half = endsInHalf(text) ? text.slice(-1) : ''
      for (const character of half === '' ? text : text.slice(0, -1)) {
        if (take(character)) return { text: letThrough(matchAt), stopped: true }
      }
      return { text: letThrough(Math.min(matchAt, earliestStart(candidates, seen))), stopped: false }
    },
    end() {
      if (half !== '') take(half)
      return { text: letThrough(Math.min(matchAt, seen)), stopped: matchAt < seen }
    },
  }
}

const nothing: StopResult = { text: '', stopped: false }

/** Where the earliest match that is still possible would start. */
function earliestStart(candidates: readonly Candidate[], seen: number): number {
  let agreedMost = 0
  for (const { agreed } of candidates) agreedMost = Math.max(agreedMost, agreed)
  return seen - agreedMost
}

function advance(candidate: Candidate, character: string): void {
  let { agreed } = candidate
  while (agreed > 0 && candidate.characters[agreed] !== character) agreed = border(candidate, agreed)
  candidate.agreed = candidate.characters[agreed] === character ? agreed + 1 : 0
}

function border({ characters, borders }: Candidate, length: number): number {
  for (let next = borders.length; next < length; next += 1) {
    let agreed = borders[next - 1] ?? 0
    while (agreed > 0 && characters[agreed] !== characters[next]) agreed = borders[agreed - 1] ?? 0
    borders.push(characters[agreed] === characters[next] ? agreed + 1 : 0)
  }
  return borders[length - 1] ?? 0
}

/** A fragment may end between the halves of a pair; the first half waits for the second. */
function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}
