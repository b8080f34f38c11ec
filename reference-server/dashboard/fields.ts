import type { KeyTerms } from '../store/store.ts'

/** The fields of a form as the browser sent them. */
export type Fields = Readonly<Record<string, unknown>>

/** What a person got wrong. The page shows it with the form and what they typed. */
export class FieldError extends Error {
  override readonly name = 'FieldError'
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/** What a person got wrong; anything else is for the operator's log. */
export function fieldErrorOf(error: unknown): FieldError {
  if (error instanceof FieldError) return error
  throw error
}

export function textOf(fields: Fields, name: string): string {
  const value = fields[name]
  return typeof value === 'string' ? value.trim() : ''
}

/** An address in lower case: its case does not tell people apart. */
export function readEmail(fields: Fields): string {
  const email = textOf(fields, 'email').toLowerCase()
  if (!/^[^\s@]{1,64}@[^\s@]{1,190}$/.test(email)) throw new FieldError('email', 'Enter an e-mail address.')
  return email
}

/** A password as it was typed: passwords are never trimmed. */
export function passwordIn(fields: Fields): string {
  const value = fields['password']
  return typeof value === 'string' ? value : ''
}

const PASSWORD_CHARS_MIN = 12
const PASSWORD_CHARS_MAX = 200

export function readPassword(fields: Fields): string {
  const password = passwordIn(fields)
  if (password.length < PASSWORD_CHARS_MIN)
    throw new FieldError('password', `Choose a password of at least ${PASSWORD_CHARS_MIN} characters.`)
  if (password.length > PASSWORD_CHARS_MAX)
    throw new FieldError('password', `Choose a password of at most ${PASSWORD_CHARS_MAX} characters.`)
  return password
}

const NAME_CHARS_MAX = 200

function readName(fields: Fields): string {
  const name = textOf(fields, 'name')
  if (name === '' || name.length > NAME_CHARS_MAX)
    throw new FieldError('name', `Give the key a name of at most ${NAME_CHARS_MAX} characters.`)
  return name
}

/** The name and the limits of a key. */
export function readKeyTerms(fields: Fields): KeyTerms {
  const requestsPerMinute = readPerMinute(fields, 'requestsPerMinute')
  const tokensPerMinute = readPerMinute(fields, 'tokensPerMinute')
  return {
    name: readName(fields),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(tokensPerMinute !== undefined && { tokensPerMinute }),
  }
}

const PER_MINUTE_MAX = 1_000_000_000

/** Undefined for an empty field: no limit. */
function readPerMinute(fields: Fields, name: string): number | undefined {
  const text = textOf(fields, name)
  if (text === '') return undefined
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > PER_MINUTE_MAX)
    throw new FieldError(name, 'Enter a whole number of at least 1, or leave it empty for no limit.')
  return value
}
