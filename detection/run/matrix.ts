import type { Check } from '../../src/check/check.ts'
import type { Score } from './score.ts'

/** Which check caught what, as one page: a row per fault, a column per check that failed anywhere. */
export function renderMatrix({ matrix, faults }: Score, checks: readonly Check[]): string {
  const columns = checks.map(({ id }) => id).filter((id) => Object.values(matrix).some((failed) => failed.includes(id)))
  const head = columns.map((id) => `<th scope="col"><span>${htmlText(id)}</span></th>`).join('')
  const rows = faults.map(({ name, about, root }) => {
    const failed = matrix[name] ?? []
    const cells = columns.map((id) =>
      failed.includes(id) ? `<td class="${id === root ? 'root' : 'hit'}" title="${htmlText(id)}">●</td>` : '<td></td>',
    )
    return `<tr><th scope="row" title="${htmlText(about)}">${htmlText(name)}</th>${cells.join('')}</tr>`
  })
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Which check caught what</title>
<style>
  body { font: 13px system-ui, sans-serif; margin: 1rem }
  table { border-collapse: collapse }
  th[scope=col] { height: 16rem; vertical-align: bottom }
  th[scope=col] span { writing-mode: vertical-rl; font-weight: normal }
  th[scope=row] { text-align: left; font-weight: normal; white-space: nowrap; padding-right: 1rem }
  td { width: 1rem; text-align: center; border: 1px solid #8883 }
  .root { color: #c30 }
</style>
<h1>Which check caught what</h1>
<p>Each row is a fault, each column a check that failed on a fault. The root check of a fault is red.</p>
<table><thead><tr><td></td>${head}</tr></thead><tbody>
${rows.join('\n')}
</tbody></table>
</html>
`
}

function htmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
