/** A generated part of a page: what stands between `<!-- NAME -->` and `<!-- /NAME -->`. */
const block = /<!-- ([a-z][\w:-]*) -->\n[\s\S]*?<!-- \/\1 -->/g

/** The names of the generated parts of a page, in their order. */
export function blocksIn(page: string): readonly string[] {
  return [...page.matchAll(block)].map(([, name = '']) => name)
}

/** The page with each part that is known written anew; parts that others write stay as they are. */
export function fillBlocks(page: string, parts: ReadonlyMap<string, string>): string {
  return page.replace(block, (whole, name: string) => {
    const text = parts.get(name)
    return text === undefined ? whole : `<!-- ${name} -->\n${text}\n<!-- /${name} -->`
  })
}

/** A Markdown table. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}
