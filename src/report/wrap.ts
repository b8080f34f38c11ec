/** The narrowest usual terminal has 80 columns, and some begin a new line once the last is written. */
const columns = 79

/** Prose in lines that fit a terminal; all lines after the first begin with `indent`. A word is never broken. */
export function wrap(text: string, indent = '  '): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.match(/\s*\S+/g) ?? []) {
    if (line !== '' && line.length + word.length > columns) {
      lines.push(line)
      line = indent + word.trimStart()
    } else line += word
  }
  return [...lines, line].join('\n')
}
