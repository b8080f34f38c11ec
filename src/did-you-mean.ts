/** ` Did you mean "…"?` with the candidate that is most like a mistyped word; empty if none is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const nearest = nearestOf(word, candidates)
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`
}

/** One edit in three letters, at most: beyond that it would be a guess. */
const editsMax = (word: string): number => Math.max(1, Math.floor(word.length / 3))

function nearestOf(word: string, candidates: Iterable<string>): string | undefined {
  let best: { readonly name: string; readonly edits: number } | undefined
  for (const name of candidates) {
    const edits = editsBetween(plain(word), plain(name))
    if (edits <= editsMax(word) && edits < (best?.edits ?? Number.POSITIVE_INFINITY)) best = { name, edits }
  }
  return best?.name
}

/** Case and the choice between a hyphen and an underscore are no mistakes worth counting. */
function plain(word: string): string {
  return word.toLowerCase().replaceAll('_', '-')
}

/** Letters to insert, remove, replace or swap with their neighbour to make one word of the other (Damerau 1964). */
function editsBetween(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row += 1) {
    const edits = [row]
    for (let at = 1; at <= other.length; at += 1) {
      const isSame = one[row - 1] === other[at - 1]
      const isSwapped = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]
      edits[at] = Math.min(
        (last[at] ?? 0) + 1,
        (edits[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = edits
  }
  return last[other.length] ?? 0
}
