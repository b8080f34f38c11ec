import { Html, html } from './html.ts'

/** One file that needs no network: inline style, dark and light, fit for print. */
export function renderPage({
  title,
  style,
  body,
  script,
}: {
  readonly title: string
  readonly style: string
  readonly body: Html
  readonly script?: string
}): string {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title>
<style>${new Html(baseStyle + style)}</style></head>
<body><main>${body}</main>${script === undefined ? undefined : html`<script>${new Html(script)}</script>`}</body></html>
`
  return page.text
}

const baseStyle = `
:root{color-scheme:light dark;--back:#fff;--front:#1b1f24;--dim:#57606a;--line:#d8dee4;--panel:#f6f8fa;--good:#116329;--bad:#b1201c;--warn:#7d4e00;--link:#0550ae;--s0:#0550ae;--s1:#bc4c00;--s2:#116329;--s3:#8250df}
@media(prefers-color-scheme:dark){:root{--back:#0d1117;--front:#e6edf3;--dim:#9aa4af;--line:#30363d;--panel:#161b22;--good:#56d364;--bad:#ff8a82;--warn:#e3b341;--link:#79c0ff;--s0:#79c0ff;--s1:#ffa657;--s2:#56d364;--s3:#d2a8ff}}
*{box-sizing:border-box}body{margin:0;background:var(--back);color:var(--front);font:15px/1.5 system-ui,sans-serif}
main{max-width:64rem;margin:0 auto;padding:1.5rem}h1{font-size:1.5rem;margin:0 0 .25rem;overflow-wrap:anywhere}summary,p,li,dd{overflow-wrap:anywhere}h2{font-size:1.15rem;margin:2rem 0 .5rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}th,td{text-align:right;padding:.25rem .6rem;border-bottom:1px solid var(--line)}
th:first-child,td:first-child{text-align:left}th{color:var(--dim);font-weight:600}.scroll{overflow-x:auto}
.dim{color:var(--dim)}.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}a{color:var(--link)}
code,pre{font:13px/1.45 ui-monospace,monospace}pre{background:var(--panel);padding:.75rem;overflow-x:auto;border-radius:6px}
@media print{body{font-size:11px}main{max-width:none;padding:0}}
`
