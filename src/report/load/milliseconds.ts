/** Milliseconds for a table: four digits or so, and a dash where nothing was measured. */
export function ms(value: number): string {
  if (Number.isNaN(value)) return '–'
  return value >= 1000 ? value.toFixed(0) : value >= 100 ? value.toFixed(1) : value.toFixed(2)
}
