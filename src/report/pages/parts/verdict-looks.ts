import type { VerdictKind } from '../../../check/verdict.ts'
import { type Html, html } from '../../../markup/html.ts'
import type { Tone } from './page.ts'

/** How a verdict looks, and what it means. */
export const verdictLooks: Readonly<
  Record<VerdictKind, { readonly tone: Tone; readonly sign: string; readonly about: string }>
> = {
  pass: { tone: 'good', sign: '✓', about: 'what it expected was seen' },
  fail: { tone: 'bad', sign: '✗', about: 'the gateway is wrong' },
  observed: { tone: 'dim', sign: '◦', about: 'the contract is silent: nothing is judged' },
  'not-applicable': { tone: 'dim', sign: '·', about: 'the gateway does not offer it' },
  untestable: { tone: 'warn', sign: '–', about: 'something was missing to decide it' },
  blocked: { tone: 'warn', sign: '–', about: 'another failure stands before it' },
  error: { tone: 'bad', sign: '!', about: 'Assay itself failed' },
}

/** The sign of a verdict, which is read out as its name. */
export function signOf(kind: VerdictKind): Html {
  const { tone, sign } = verdictLooks[kind]
  return html`<span class="sign ${tone}" role="img" aria-label="${kind}" title="${kind}">${sign}</span>`
}
