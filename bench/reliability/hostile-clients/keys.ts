import type { Draw } from '../draw.ts'
import { type Gateway, type Kind, requestOf, type Surface } from './input.ts'

/** Keys, tokens and sessions that somebody guesses. */
export const guessKinds: readonly Kind[] = [
  guess('a guessed key', 8, 'api', (draw, { key }) => ['Authorization', `Bearer ${nearly(draw, key)}`]),
  guess('a deleted key', 1, 'api', (_, { deletedKey }) => ['Authorization', `Bearer ${deletedKey}`]),
  guess('a guessed control token', 3, 'control', (draw, { controlToken }) => [
    'Authorization',
    `Bearer ${nearly(draw, controlToken)}`,
  ]),
  guess('a guessed session', 3, 'dashboard', (draw, { owner }) => [
    'Cookie',
    owner.cookie.replace(/(?<=assay_session=)[^;]+/, (token) => nearly(draw, token)),
  ]),
]

const targets: Readonly<Record<Surface, string>> = {
  api: '/api/v1/models',
  control: '/control/v1/models',
  dashboard: '/dashboard/keys',
  metrics: '/metrics',
}

/** The secret with one character another, or with something added or left out. */
function nearly(draw: Draw, secret: string): string {
  const at = draw.between(0, secret.length - 1)
  const other = draw.pick([...'0123456789abcdef'].filter((one) => one !== secret[at]))
  return draw.pick([
    secret.slice(0, at) + other + secret.slice(at + 1),
    secret.slice(0, at),
    secret + other,
    `${secret.slice(0, at)}%${other}`,
    secret.toUpperCase() === secret ? `${secret}x` : secret.toUpperCase(),
  ])
}

function guess(
  about: string,
  share: number,
  surface: Surface,
  credentials: (draw: Draw, gateway: Gateway) => readonly [name: string, value: string],
): Kind {
  return {
    about,
    share,
    make(draw, gateway) {
      const [name, value] = credentials(draw, gateway)
      const bytes = requestOf('GET', targets[surface], { [name]: value })
      return { surface, isRequest: true, isForbidden: true, bytes }
    },
  }
}
