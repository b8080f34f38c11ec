/** A line of a file for spreadsheets (RFC 4180); an absent value is an empty cell. */
export function csvLine(values: readonly (string | number | undefined)[]): string {
  return `${values.map(cell).join(',')}\r\n`
}

/** Quoted where RFC 4180 asks for it. A leading sign that a spreadsheet would take for a formula is made text, except that of a number. */
function cell(value: string | number = ''): string {
  const text = /^[=+\-@\t\r](?!\d*\.?\d+$)/.test(String(value)) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
