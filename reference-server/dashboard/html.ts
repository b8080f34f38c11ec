/** Text that already is markup. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Part = Markup | string | number | bigint | readonly Markup[] | null | undefined | false

/** A template of markup. Parts are escaped unless they are markup themselves; null, undefined and false are left out. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...parts.map(markupOf)))
}

function markupOf(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Markup) return part.text
  if (Array.isArray(part)) return part.map(({ text }: Markup) => text).join('')
  return String(part).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
