let visitors = 0

/** A browser without a screen: it keeps cookies and sends the token of the form it was shown. */
export class Visitor {
  private readonly cookies = new Map<string, string>()
  /** Attempts to sign in are counted by address: each visitor has one. */
  readonly address = `10.${process.pid & 255}.${visitors >> 8}.${visitors++ & 255}`
  private readonly root: string

  constructor(root: string) {
    this.root = root
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.ask(path, { headers })
  }
  async post(path: string, fields: Readonly<Record<string, string>> = {}, shown = '/sign-in'): Promise<Response> {
    const body = new URLSearchParams({ ...fields, _csrf: await this.token(shown) })
    return this.ask(path, { method: 'POST', body })
  }
  /** What the forms of a page carry. */
  async token(shown: string): Promise<string> {
    const [token = ''] = /(?<=name="_csrf" value=")[^"]*/.exec(await (await this.get(shown)).text()) ?? []
    return token
  }
  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }
  async ask(path: string, init: RequestInit): Promise<Response> {
    const headers = { ...init.headers, cookie: this.cookie, 'x-forwarded-for': this.address }
    const answer = await fetch(this.root + path, { redirect: 'manual', ...init, headers })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }
}

/** A visitor who has just opened an account. */
export async function newOwner(root: string, email: string): Promise<Visitor> {
  const visitor = new Visitor(root)
  const { status } = await visitor.post('/sign-up', { email, password: 'correct horse battery' })
  if (status !== 303) throw new Error(`signing up answered ${status}`)
  return visitor
}

/** Creates a key in the dashboard and reads it from the page that shows it once. */
export async function makeKey(visitor: Visitor, name: string): Promise<{ readonly id: string; readonly key: string }> {
  await visitor.post('/keys', { name })
  const page = await (await visitor.get('/keys')).text()
  const [key = ''] = /sk-assay-[0-9a-f-]+/.exec(page) ?? []
  return { key, id: key.split('-')[2] ?? '' }
}
