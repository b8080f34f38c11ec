/** Removes every known secret from a text, in every form in which it could be there. */
export interface Redactor {
  /** From now on this value is a secret. Values too short to be one are ignored, so that plain words stay. */
  learn(secret: string): void
  text(text: string): string
}

const secretLengthMin = 6
const mask = '[redacted]'

export function createRedactor(secrets: readonly string[] = []): Redactor {
  const forms = new Set<string>()
  /** The longest first: a key that contains another must not leave its tail. Sorted when next needed. */
  let ordered: readonly string[] | undefined

  function learn(secret: string): void {
    if (secret.length < secretLengthMin) return
    const base64 = Buffer.from(secret).toString('base64')
    for (const form of [
      secret,
      base64,
      base64.replace(/=+$/, ''),
      Buffer.from(secret).toString('base64url'),
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
    ]) {
      forms.add(form)
    }
    ordered = undefined
  }

  for (const secret of secrets) learn(secret)
  return {
    learn,
    text(text) {
      ordered ??= [...forms].sort((a, b) => b.length - a.length)
      let clean = text
      for (const form of ordered) if (clean.includes(form)) clean = clean.replaceAll(form, mask)
      return clean
    },
  }
}
