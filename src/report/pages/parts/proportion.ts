import { type Html, html } from '../../../markup/html.ts'

export interface Share {
  readonly name: string
  readonly count: number
  readonly fill: 'good' | 'bad' | 'warn' | 'dim' | 'seen'
}

/** A bar that shows what a whole is made of, and the same in numbers. Parts without any are left out. */
export function proportion(shares: readonly Share[]): Html {
  const some = shares.filter(({ count }) => count > 0)
  const words = some.map(({ name, count }) => `${count} ${name}`).join(', ')
  return html`<div class="bar" role="img" aria-label="${words}">${some.map(({ count, fill }) => html`<span class="fill-${fill}" style="flex:${count}"></span>`)}</div>
<ul class="legend">${some.map(({ name, count, fill }) => html`<li><i class="fill-${fill}"></i><strong>${count}</strong> ${name}</li>`)}</ul>`
}
