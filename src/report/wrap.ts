import { stripVTControlCharacters } from 'node:util'

/** The narrowest usual terminal. */
export const columnsUsual = 80

/**
 * Prose in lines that fit a terminal of so many columns; all lines after the first begin with `indent`. A word is never broken, and
 * colours take no room.
 */
export function wrap(text: string, indent = '  ', columns = columnsUsual): string {
  // Some terminals begin a new line once the last column is written.
  const most = columns - 1
  const lines: string[] = []
  let line = ''
  for (const word of text.match(/\s*\S+/g) ?? []) {
    if (line !== '' && widthOf(line) + widthOf(word) > most) {
      lines.push(line)
      line = indent + word.trimStart()
    } else line += word
  }
  return [...lines, line].join('\n')
}

/** Every line of a text by itself, as far as a terminal shows it: without columns all stay as they are. */
export function wrapLines(text: string, columns: number | undefined): string {
  if (columns === undefined) return text
  return text
    .split('\n')
    .map((line) => wrap(line, ' '.repeat(indentOf(line, columns)), columns))
    .join('\n')
}

/** Where a line goes on: below its second column, if it has one that leaves enough room, else two columns further in than it begins. */
function indentOf(line: string, columns: number): number {
  const shown = stripVTControlCharacters(line)
  const column = /^.*?\S {2,}(?=\S)/.exec(shown)?.[0].length ?? 0
  return column > 0 && column <= columns / 2 ? column : (/^ */.exec(shown)?.[0].length ?? 0) + 2
}

function widthOf(text: string): number {
  return stripVTControlCharacters(text).length
}
