import type { SentRequest } from './transcript.ts'

/** A shell line that sends the request again. The key is taken from `$ASSAY_API_KEY`, whatever it was. */
export function curlOf({ method, url, headers, body }: SentRequest): string {
  const lines = [`curl -sS -N -i -X ${method} ${quote(url)}`]
  for (const [name, value] of headers) {
    if (name.toLowerCase() === 'user-agent' || name.toLowerCase() === 'content-length') continue
    const bearer = name.toLowerCase() === 'authorization' && /^bearer \S/i.test(value)
    lines.push(bearer ? `  -H "${name}: Bearer $ASSAY_API_KEY"` : `  -H ${quote(`${name}: ${value}`)}`)
  }
  if (body !== undefined) lines.push(`  --data-binary ${quote(bodyText(body))}`)
  return lines.join(' \\\n')
}

const bodyCharsMax = 2000

function bodyText(body: string | Uint8Array): string {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
  return text.length > bodyCharsMax ? `@body.json # ${text.length} characters, kept in the evidence` : text
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
