import { type Html, html } from './html.ts'

export interface Column {
  readonly name: string
  readonly isNumber?: boolean
}

export type Cell = Html | string | number

/** A table whose first column names the row. On a phone each row is a card, with the names of the columns before its values. */
export function table(columns: readonly (Column | string)[], rows: readonly (readonly Cell[])[]): Html {
  const all = columns.map((column) => (typeof column === 'string' ? { name: column } : column))
  const sideOf = ({ isNumber }: Column): Html => (isNumber === true ? html` class="number"` : html``)
  const body = rows.map(
    ([first = '', ...rest]) =>
      html`<tr><th scope="row">${first}</th>${rest.map((cell, index) => {
        const column = all[index + 1] ?? { name: '' }
        return html`<td${sideOf(column)} data-label="${column.name}"><span>${cell}</span></td>`
      })}</tr>`,
  )
  return html`<table class="cards"><thead><tr>${all.map((column) => html`<th scope="col"${sideOf(column)}>${column.name}</th>`)}</tr></thead><tbody>${body}</tbody></table>`
}

/** A column of numbers. */
export function numbers(name: string): Column {
  return { name, isNumber: true }
}
