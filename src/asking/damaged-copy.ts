/**
 * Whether one text may be a damaged copy of the other: it is the other with something left out, or half of the shorter
 * text stands at the ends of the longer. A model's other words are not.
 */
export function isDamagedCopy(text: string, other: string): boolean {
  const [short, long] = text.length <= other.length ? [text, other] : [other, text]
  return isWithin(short, long) || endsShared(short, long) * 2 >= short.length
}

/** Whether another text contains all characters of this one, in their order. */
function isWithin(text: string, other: string): boolean {
  let at = 0
  for (let index = 0; index < other.length && at < text.length; index += 1) if (other[index] === text[at]) at += 1
  return at === text.length
}

/** How many characters two texts share at their beginnings and ends. */
function endsShared(short: string, long: string): number {
  let start = 0
  while (start < short.length && short[start] === long[start]) start += 1
  let end = 0
  while (end < short.length - start && short.at(-1 - end) === long.at(-1 - end)) end += 1
  return start + end
}
