import { styleText } from 'node:util'

/** Colours for a terminal, or none. */
export interface Paint {
  good(text: string): string
  bad(text: string): string
  warn(text: string): string
  dim(text: string): string
  strong(text: string): string
}

export function createPaint(color: boolean): Paint {
  const paint =
    (style: Parameters<typeof styleText>[0]) =>
    (text: string): string =>
      color ? styleText(style, text, { validateStream: false }) : text
  return { good: paint('green'), bad: paint('red'), warn: paint('yellow'), dim: paint('dim'), strong: paint('bold') }
}
