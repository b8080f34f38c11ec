/** What a gateway may do to a value on its way. Each reads after the name of the value: "the temperature … is rounded". */
export const hows = {
  lost: 'is lost',
  'lost-when-zero': 'is lost when it is 0',
  'lost-when-empty': 'is lost when it is empty',
  'lost-when-default': 'is lost when it is the default',
  'lost-when-repeated': 'is lost when it equals the one before',
  'type-changed': 'is converted to another type',
  rounded: 'is rounded',
  clamped: 'is lowered to a bound',
  raised: 'is raised to a bound',
  'case-changed': 'changes its case',
  'unicode-changed': 'is put into another Unicode form',
  'line-ends-changed': 'has its line ends changed',
  'space-changed': 'is trimmed',
  'html-escaped': 'is escaped as HTML',
  'json-escaped': 'is escaped as JSON once too often',
  merged: 'is merged with its neighbour',
  doubled: 'is doubled',
  reordered: 'changes places with its neighbour',
  truncated: 'is cut at a size',
  'from-the-wrong-side': 'is taken from the wrong side',
} as const satisfies Readonly<Record<string, string>>

export type How = keyof typeof hows

/** Where in a list, such as a conversation or the fragments of a reply, a value stands. */
export interface Position {
  readonly index: number
  readonly isLast: boolean
}

/** Changes a value; undefined when it is lost. `previous` is the value that was relayed here before. */
export type Distortion = (value: unknown, previous: unknown, position: Position) => unknown

export type Distortions = Readonly<Partial<Record<How, Distortion>>>

const ofNumber =
  (change: (value: number) => unknown): Distortion =>
  (value) =>
    typeof value === 'number' ? change(value) : value

export const ofText =
  (change: (text: string) => unknown): Distortion =>
  (value) =>
    typeof value === 'string' ? change(value) : value

export const ofList =
  (change: (list: readonly unknown[], previous: readonly unknown[]) => unknown): Distortion =>
  (value, previous) =>
    Array.isArray(value) ? change(value, Array.isArray(previous) ? previous : value) : value

export const lost: Distortion = () => undefined

export const always =
  (value: unknown): Distortion =>
  () =>
    value

/** The value of the request before, or of its neighbour. */
export const ofPrevious: Distortion = (_, previous) => previous

interface Bounds {
  readonly step: number
  readonly most: number
  readonly least: number
}

export function numberDistortions({ step, most, least }: Bounds): Distortions {
  return {
    lost,
    'type-changed': ofNumber(String),
    rounded: ofNumber((value) => Math.round(value / step) * step),
    clamped: ofNumber((value) => Math.min(value, most)),
    raised: ofNumber((value) => Math.max(value, least)),
    doubled: ofNumber((value) => value * 2),
    'from-the-wrong-side': ofPrevious,
  }
}

/** What happens to text, whatever it is part of. */
export const textDistortions: Distortions = {
  'type-changed': ofText(coerced),
  'case-changed': ofText((text) => text.toLowerCase()),
  'unicode-changed': ofText((text) => text.normalize('NFKC')),
  'line-ends-changed': ofText((text) => text.replaceAll('\r\n', '\n')),
  'space-changed': ofText((text) => text.trim()),
  'html-escaped': ofText((text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')),
  'json-escaped': ofText((text) => JSON.stringify(text).slice(1, -1)),
}

/** Text that is longer than a few words as well. */
export function longTextDistortions(lengthMax: number): Distortions {
  return {
    ...textDistortions,
    lost: ofText(() => ''),
    'lost-when-zero': ofText((text) => (text === '0' ? '' : text)),
    doubled: ofText((text) => text + text),
    truncated: ofText((text) => text.slice(0, lengthMax)),
    'from-the-wrong-side': ofPrevious,
  }
}

/** One of a few words that a program compares. */
export const wordDistortions: Distortions = {
  lost,
  'type-changed': (value) => [value],
  'case-changed': ofText((text) => text.toUpperCase()),
  'from-the-wrong-side': ofPrevious,
}

/** Text that looks like a number or like JSON, as a loosely typed program reads and writes it. */
function coerced(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}
