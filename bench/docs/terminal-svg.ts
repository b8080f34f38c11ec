interface Style {
  readonly color?: string
  readonly bold: boolean
  readonly dim: boolean
}

const plain: Style = { bold: false, dim: false }
const colors: Readonly<Record<string, string>> = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 36: '#79c0ff' }
const foreground = '#e6edf3'
const background = '#0d1117'
const charWidth = 7.8
const lineHeight = 18
const margin = 16

/** What a terminal of so many columns shows, as a picture. */
export function terminalSvg(output: string, columns: number): string {
  const lines = output
    .trimEnd()
    .split('\n')
    .flatMap((line) => wrapped(line, columns))
  const width = Math.ceil(columns * charWidth + 2 * margin)
  const height = lines.length * lineHeight + 2 * margin
  let style = plain
  const rows = lines.map((line, at) => {
    const spans = spansOf(line, style)
    style = spans.at(-1)?.style ?? style
    const text = spans.filter((span) => span.text !== '').map(tspan)
    return `<text x="${margin}" y="${margin + (at + 1) * lineHeight - 5}" xml:space="preserve">${text.join('')}</text>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<rect width="100%" height="100%" rx="8" fill="${background}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="${foreground}">`,
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

const escapeByte = '\u001b'
const token = new RegExp(`${escapeByte}\\[[\\d;]*m|[^${escapeByte}]`, 'gu')

/** Lines of at most so many visible characters; marks of style take no room. */
function wrapped(line: string, columns: number): readonly string[] {
  const rows = ['']
  let used = 0
  for (const [part] of line.matchAll(token)) {
    const visible = part.startsWith(escapeByte) ? 0 : 1
    if (used + visible > columns) {
      rows.push('')
      used = 0
    }
    rows[rows.length - 1] += part
    used += visible
  }
  return rows
}

interface Span {
  readonly text: string
  readonly style: Style
}

function spansOf(line: string, first: Style): readonly Span[] {
  const spans: { text: string; style: Style }[] = [{ text: '', style: first }]
  for (const [part] of line.matchAll(token)) {
    const last = spans.at(-1)
    if (part.startsWith(escapeByte)) spans.push({ text: '', style: restyled(last?.style ?? plain, part.slice(2, -1)) })
    else if (last !== undefined) last.text += part
  }
  return spans
}

function restyled(style: Style, code: string): Style {
  const { color: _, ...colorless } = style
  if (code === '1') return { ...style, bold: true }
  if (code === '2') return { ...style, dim: true }
  if (code === '22') return { ...style, bold: false, dim: false }
  if (code === '39') return colorless
  const color = colors[code]
  return color === undefined ? plain : { ...style, color }
}

function tspan({ text, style: { color, bold, dim } }: Span): string {
  const attributes = [
    ...(color === undefined ? [] : [`fill="${color}"`]),
    ...(bold ? ['font-weight="bold"'] : []),
    ...(dim ? ['fill-opacity="0.6"'] : []),
  ]
  const inner = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return attributes.length === 0 ? inner : `<tspan ${attributes.join(' ')}>${inner}</tspan>`
}
