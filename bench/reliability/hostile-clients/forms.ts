import type { Draw } from '../draw.ts'
import { type Gateway, type Kind, requestOf } from './input.ts'
import { mangled, oddJson, oddText } from './odd-values.ts'
import type { Session } from './sign-in.ts'

const form = 'application/x-www-form-urlencoded'

/** The pages and forms of the dashboard, by people who are signed in and by others. */
export const formKinds: readonly Kind[] = [
  {
    about: 'a page with odd parameters',
    share: 5,
    make(draw, gateway) {
      const query = new URLSearchParams(parameters(draw, queryNames)).toString()
      const target = `/dashboard${draw.pick(pagePaths)}?${draw.pick([query, `${query}&${query}`, mangled(draw, Buffer.from(query)).toString('hex').slice(0, 4000)])}`
      return {
        surface: 'dashboard',
        isRequest: true,
        bytes: requestOf('GET', target, { Cookie: draw.pick([gateway.owner, gateway.operator]).cookie }),
      }
    },
  },
  sent('a form with odd fields', 6, (draw, session) => ({
    ...Object.fromEntries(parameters(draw, fieldNames)),
    _csrf: session.csrf,
  })),
  {
    about: 'a form from another site',
    share: 3,
    make(draw, gateway) {
      const session = draw.pick([gateway.owner, gateway.operator])
      const body = new URLSearchParams({ name: 'n', amount: '5', _csrf: draw.pick(['', 'x', oddText(draw)]) })
      const headers = { Cookie: session.cookie, 'Content-Type': form, Origin: 'https://elsewhere.example' }
      const bytes = requestOf('POST', `/dashboard${draw.pick(formPaths)}`, headers, body.toString())
      return { surface: 'dashboard', isRequest: true, isForbidden: true, bytes }
    },
  },
  {
    about: 'a form that is none',
    share: 3,
    make(draw, gateway) {
      const { cookie, csrf } = draw.pick([gateway.owner, gateway.operator])
      const [type, body] = draw.pick<() => readonly [string, string | Buffer]>([
        () => ['application/json', oddJson(draw)],
        () => [
          'application/json',
          `{"_csrf":${JSON.stringify(csrf)},"name":${oddJson(draw)},"amount":${oddJson(draw)}}`,
        ],
        () => [form, mangled(draw, Buffer.from(`_csrf=${csrf}&name=${'n'.repeat(100)}`))],
        () => [form, `_csrf=${csrf}&name=${'%'.repeat(draw.between(1, 99))}&__proto__=1&a[b][c]=d`],
        () => [
          'multipart/form-data; boundary=x',
          '--x\r\nContent-Disposition: form-data; name="_csrf"\r\n\r\n1\r\n--x--',
        ],
        () => ['', oddText(draw).toWellFormed()],
        () => [form, `name=${'n'.repeat(70_000)}`],
      ])()
      const headers = { Cookie: cookie, ...(type !== '' && { 'Content-Type': type }) }
      return {
        surface: 'dashboard',
        isRequest: true,
        bytes: requestOf('POST', `/dashboard${draw.pick(formPaths)}`, headers, body),
      }
    },
  },
]

const pagePaths = [
  '/',
  '/keys',
  '/usage',
  '/usage.csv',
  '/ledger',
  '/requests',
  '/models',
  '/playground',
  '/operator',
  '/sign-in',
  '/sign-up',
  '/keys/%00/delete',
  '/nothing',
]
/** Not the way out, nor what takes a model away from the others. */
const formPaths = [
  '/keys',
  '/fund',
  '/playground',
  '/sign-in',
  '/sign-up',
  '/operator/sign-in',
  '/keys/%00/delete',
  '/operator/models/nothing',
  '/operator/nodes/%27',
]
const queryNames = [
  'from',
  'done',
  'before',
  'until',
  'id',
  'key',
  'model',
  'outcome',
  'days',
  'metric',
  'by',
  '__proto__',
]
const fieldNames = [
  'name',
  'amount',
  'requestsPerMinute',
  'tokensPerMinute',
  'email',
  'password',
  'model',
  'message',
  'system',
  'turns',
  'temperature',
  'max_tokens',
  'state',
  '__proto__',
]

function parameters(draw: Draw, names: readonly string[]): [string, string][] {
  return Array.from({ length: draw.between(1, 4) }, () => [draw.pick(names), oddText(draw)])
}

function sent(
  about: string,
  share: number,
  fieldsOf: (draw: Draw, session: Session) => Readonly<Record<string, string>>,
): Kind {
  return {
    about,
    share,
    make(draw, { owner, operator }: Gateway) {
      const session = draw.pick([owner, operator])
      const body = new URLSearchParams(fieldsOf(draw, session)).toString()
      const headers = { Cookie: session.cookie, 'Content-Type': form }
      return {
        surface: 'dashboard',
        isRequest: true,
        bytes: requestOf('POST', `/dashboard${draw.pick(formPaths)}`, headers, body),
      }
    },
  }
}
