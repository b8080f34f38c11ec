/** What must never be written, and the shell's way to write it: the variable that holds it, or what is made of that. */
export interface Secret {
  readonly value: string
  readonly shape?: string
}

/** A piece of a text that we sent: what everybody may see, or the shape of a secret. */
export type Piece =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'secret'; readonly shape: string }

/** Removes every known secret from a text, in every form in which it could be there. */
export interface Redactor {
  /** From now on this value is a secret. */
  learn(secret: Secret): void
  /** Values too short to be a secret are left in, so that plain words stay. */
  text(text: string): string
  /** For credentials that we sent: there, the shortest key is one. */
  pieces(text: string): readonly Piece[]
}

interface Form {
  readonly text: string
  readonly shape: string
  /** Whether a plain word could be the same. */
  readonly isShort: boolean
}

const secretLengthMin = 6
/** A text that was cut may end in so much of a secret: less of it is what all keys of a service begin with. */
const cutLengthMin = 12
const mask = '[redacted]'

export function createRedactor(secrets: readonly Secret[] = []): Redactor {
  const forms = new Map<string, Form>()
  /** The longest first: a key that contains another must not leave its tail. Sorted when next needed. */
  let ordered: readonly Form[] | undefined

  function learn({ value, shape = mask }: Secret): void {
    const isShort = value.length < secretLengthMin
    const base64 = Buffer.from(value).toString('base64')
    const others = [
      base64,
      base64.replace(/=+$/, ''),
      Buffer.from(value).toString('base64url'),
      encodeURIComponent(value.toWellFormed()),
      JSON.stringify(value).slice(1, -1),
    ]
    if (value === '' || forms.has(value)) return
    forms.set(value, { text: value, shape, isShort })
    for (const text of others) if (!forms.has(text)) forms.set(text, { text, shape: mask, isShort })
    ordered = undefined
  }

  function piecesOf(whole: string, withShort: boolean): readonly Piece[] {
    ordered ??= [...forms.values()].sort((a, b) => b.text.length - a.text.length)
    let pieces: readonly Piece[] = [{ kind: 'plain', text: whole }]
    for (const form of ordered)
      if ((withShort || !form.isShort) && whole.includes(form.text))
        pieces = pieces.flatMap((piece) => (piece.kind === 'plain' ? cutAt(piece.text, form) : piece))
    return pieces
  }

  for (const secret of secrets) learn(secret)
  return {
    learn,
    text(text) {
      const masked = piecesOf(text, false).map((piece) => (piece.kind === 'plain' ? piece.text : mask))
      return withoutCut(masked.join(''), [...forms.keys()])
    },
    pieces: (text) => piecesOf(text, true),
  }
}

/** The text without the beginning of a secret at its end. */
function withoutCut(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    const at = secret.length < cutLengthMin ? -1 : text.lastIndexOf(secret.slice(0, cutLengthMin))
    if (at !== -1 && secret.startsWith(text.slice(at))) return text.slice(0, at) + mask
  }
  return text
}

/** Plain data without secrets: in a text made of it they could be cut or wrapped, and not be found. */
export function redactData<T>(data: T, redactor: Pick<Redactor, 'text'>): T
export function redactData(data: unknown, redactor: Pick<Redactor, 'text'>): unknown {
  if (typeof data === 'string') return redactor.text(data)
  if (Array.isArray(data)) return data.map((one) => redactData(one, redactor))
  if (typeof data !== 'object' || data === null || Object.getPrototypeOf(data) !== Object.prototype) return data
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, redactData(value, redactor)]))
}

function cutAt(text: string, form: Form): readonly Piece[] {
  const secret: Piece = { kind: 'secret', shape: form.shape }
  return text
    .split(form.text)
    .flatMap((part, index): readonly Piece[] => [
      ...(index === 0 ? [] : [secret]),
      ...(part === '' ? [] : [{ kind: 'plain', text: part } as const]),
    ])
}
