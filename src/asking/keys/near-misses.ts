/** A string that hardly differs from a key. */
export interface NearMiss {
  /** How it differs. */
  readonly words: string
  readonly value: string
  /** How a shell makes it from the variable that holds the key. */
  readonly shape: string
}

/**
 * Strings that hardly differ from a key: in length, in one character, in case. None is the key with `-1` appended: some
 * gateways take such a number for the choice of a channel, and still need the whole key.
 */
export function nearMisses(key: string, variable: string): readonly NearMiss[] {
  const middle = Math.floor(key.length / 2)
  const last = key.length - 1
  return [
    { words: 'without its last character', value: key.slice(0, -1), shape: `\${${variable}%?}` },
    { words: 'without its last four characters', value: key.slice(0, -4), shape: `\${${variable}%????}` },
    { words: 'with an x appended', value: `${key}x`, shape: `\${${variable}}x` },
    { words: 'with .x appended', value: `${key}.x`, shape: `\${${variable}}.x` },
    { words: 'with another character in the middle', ...withAnother(key, middle, variable) },
    { words: 'with another last character', ...withAnother(key, last, variable) },
    { words: 'without its first character', value: key.slice(1), shape: `\${${variable}#?}` },
    { words: 'cut in half', value: key.slice(0, middle), shape: `\${${variable}:0:${middle}}` },
    ...inOtherCase(key, variable),
  ]
}

function withAnother(key: string, index: number, variable: string): Pick<NearMiss, 'value' | 'shape'> {
  const other = key[index] === 'x' ? 'y' : 'x'
  return {
    value: key.slice(0, index) + other + key.slice(index + 1),
    shape: `\${${variable}:0:${index}}${other}\${${variable}:${index + 1}}`,
  }
}

/** Its last letter and the whole key in another case: a key may have no letters, or only capitals. */
function inOtherCase(key: string, variable: string): readonly NearMiss[] {
  const at = key.search(/[a-z](?=[^a-z]*$)/i)
  const letter = key[at] ?? ''
  const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
  const flip = `$(printf %s "\${${variable}:${at}:1}" | tr A-Za-z a-zA-Z)`
  const misses = [
    {
      words: 'with its last letter in the other case',
      value: key.slice(0, at) + flipped + key.slice(at + 1),
      shape: `\${${variable}:0:${at}}${flip}\${${variable}:${at + 1}}`,
    },
    {
      words: 'in capitals',
      value: key.toUpperCase(),
      shape: `$(printf %s "$${variable}" | tr a-z A-Z)`,
    },
  ]
  return at === -1 ? [] : misses.filter(({ value }) => value !== key)
}
