import { countOf } from '../../count.ts'
import { escapeHtml } from '../../markup/html.ts'
import { coverage } from '../headline.ts'
import type { Report } from '../report.ts'
import { failures, isGated } from '../said.ts'

interface Badge {
  readonly label: string
  readonly message: string
  readonly color: 'brightgreen' | 'red' | 'lightgrey'
}

function badgeOf({ gate, results, contract }: Report): Badge {
  const label = `inference contract ${contract}`
  const count = failures(results).filter((result) => isGated(result, gate)).length
  if (gate.exitCode === 0) {
    const { decided, open } = coverage(results)
    const message = open === 0 ? 'conformant' : `conformant in ${decided} of ${results.length}`
    return { label, message, color: 'brightgreen' }
  }
  if (gate.exitCode === 1) return { label, message: countOf(count, 'failure'), color: 'red' }
  return { label, message: gate.exitCode === 130 ? gate.reason : 'not decided', color: 'lightgrey' }
}

/** The JSON that badge services ask an endpoint for. */
export function renderBadge(report: Report): string {
  return `${JSON.stringify({ schemaVersion: 1, ...badgeOf(report) })}\n`
}

const colors = { brightgreen: '#2a7d2e', red: '#b1201c', lightgrey: '#5f6670' } as const
const charWidth = 6.6
const padding = 10

/** The same as a picture that needs no service. */
export function renderBadgeSvg(report: Report): string {
  return badgePicture(badgeOf(report))
}

export function badgePicture({ label, message, color }: Badge): string {
  const widths = [label, message].map((text) => Math.round(text.length * charWidth + padding * 2))
  const [left = 0, right = 0] = widths
  const title = escapeHtml(`${label}: ${message}`)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${title}"><title>${title}</title>
<clipPath id="r"><rect width="${left + right}" height="20" rx="3"/></clipPath><g clip-path="url(#r)"><rect width="${left}" height="20" fill="#30363d"/><rect x="${left}" width="${right}" height="20" fill="${colors[color]}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"><text x="${left / 2}" y="14">${escapeHtml(label)}</text><text x="${left + right / 2}" y="14">${escapeHtml(message)}</text></g></svg>
`
}
